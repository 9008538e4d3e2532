"""Claims, heartbeats and hand-backs of pages, each fenced by a token. The job is locked first, then the page."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connections
from psycopg.errors import LockNotAvailable

from jobs.core import states
from jobs.core.models import Page
from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.documents.too_complex_pages import REMEMBERED
from jobs.events.log import Happened, append_event, append_events
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.plans.prices import Price

LOCK_TIMEOUT_MS = 2000
HAND_BACK_TIMEOUT_MS = 500
"""The lock timeout for a hand-back. A worker that stops has only seconds; otherwise the lease must end first."""

# The inline input may be megabytes, so it is read only if it is the work itself. A page whose worker died is recognized
# by its error code, until it ends in another way. Its last try is made apart.
_CLAIM = f"""
WITH job AS (
    SELECT job.id, job.api_key_id, job.priority, job.model_version_id, model.name, version.number, job.price,
        model.tenant_id AS owner,
        job.livemode, job.parameters, CASE WHEN job.document_id IS NULL THEN job.input END AS input,
        document.id AS document_id, document.kind, document.file, document.sha256,
        CASE WHEN {REMEMBERED} THEN document.too_complex_pages ELSE ARRAY[]::int[] END AS too_complex_pages,
        coalesce(job.cached_price, job.price) AS cached_price, coalesce(job.review_price, job.price) AS review_price,
        job.cache_control, model.cache_ttl_s,
        CASE WHEN job.document_id IS NULL THEN encode(sha256(convert_to(job.input::text, 'UTF8')), 'hex') END
            AS input_sha256,
        (SELECT results_generation FROM tenants_tenant WHERE id = job.tenant_id) AS results_generation
    FROM jobs_job job
    JOIN inference_modelversion version ON version.id = job.model_version_id
    JOIN inference_servedmodel model ON model.id = version.served_model_id
    LEFT JOIN jobs_document document ON document.id = job.document_id
    WHERE job.id = (SELECT job_id FROM jobs_page WHERE id = %(page)s) AND job.state IN ('queued', 'running')
      AND (SELECT state FROM tenants_tenant WHERE id = job.tenant_id) = 'active'
      AND (%(documents)s OR job.document_id IS NULL)
      AND coalesce(least(job.expires_at, job.cancel_at) > clock_timestamp(), true)
    FOR NO KEY UPDATE OF job
), page AS (
    UPDATE jobs_page page
    SET state = 'running', attempt = attempt + 1, lease_token = nextval('jobs_fencing_token'), worker = %(worker)s,
        lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s),
        started_at = coalesce(started_at, clock_timestamp()),
        error_code = CASE state WHEN 'running' THEN 'worker_lost' ELSE error_code END,
        cache_key = NULL, waits_for = NULL, awaited = false
    FROM job
    WHERE page.id = %(page)s AND attempt < %(max_attempts)s AND run_after <= clock_timestamp()
      AND (%(pool)s = '' OR page.pool = %(pool)s)
      AND (state = 'queued' OR (state = 'running' AND lease_until < clock_timestamp()))
      AND (%(apart)s OR attempt < %(max_attempts)s - 1 OR (state = 'queued' AND error_code <> 'worker_lost'))
    RETURNING job_id, lease_token, attempt, page.number, page.started_at,
        extract(epoch FROM clock_timestamp() - greatest(created_at, run_after))::float8 AS waited_s
), started AS (
    UPDATE jobs_job SET state = 'running', started_at = clock_timestamp()
    FROM page WHERE jobs_job.id = page.job_id AND jobs_job.state = 'queued'
    RETURNING jobs_job.id
)
SELECT EXISTS (SELECT FROM started) AS starts, page.job_id, page.number, attempt, lease_token AS token, waited_s,
    page.started_at, model_version_id, name AS model, owner, job.number AS version, price, livemode, parameters, input,
    document_id, kind, file, sha256, too_complex_pages, cached_price, review_price, cache_control, cache_ttl_s,
    input_sha256, results_generation, api_key_id, priority
FROM page, job
"""  # noqa: S608  # made of constants alone

_COME_LATER = """
UPDATE jobs_page SET run_after = clock_timestamp() + make_interval(secs => %(seconds)s), renotify_at = NULL
WHERE id = %(page)s AND state = 'queued' AND run_after <= clock_timestamp() AND error_code = 'worker_lost'
  AND attempt = %(max_attempts)s - 1
"""
APART_AGAIN_S = 1.0


# A row that is locked at this moment is skipped. The next round finds out whether this claim still holds it.
_RENEW = """
WITH held AS (
    SELECT page.id, page.lease_token
    FROM jobs_page page JOIN unnest(%(pages)s::uuid[], %(tokens)s::bigint[]) AS claim (id, token)
        ON page.id = claim.id AND page.lease_token = claim.token
    WHERE page.state = 'running'
), free AS (
    SELECT id FROM jobs_page
    WHERE id IN (SELECT id FROM held) AND lease_token = ANY(%(tokens)s::bigint[]) AND state = 'running'
    FOR NO KEY UPDATE SKIP LOCKED
), renewed AS (
    UPDATE jobs_page SET lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
    FROM free WHERE jobs_page.id = free.id
)
SELECT lease_token FROM held
"""

_HAND_BACK = """
UPDATE jobs_page
SET state = 'queued', attempt = attempt - 1, lease_token = NULL, lease_until = NULL, renotify_at = NULL,
    cache_key = NULL
WHERE id = %s AND lease_token = %s AND state = 'running'
"""


@dataclass(frozen=True)
class ClaimedDocument:
    tenant_id: UUID
    id: UUID
    kind: str
    file: str
    sha256: str
    too_complex_pages: Sequence[int] = ()
    """The numbers of the pages that must not be read again."""


@dataclass(frozen=True)
class Claim:
    """The right to work on one page, as long as the lease is renewed and the token is the latest."""

    tenant_id: UUID
    job_id: UUID
    page_id: UUID
    number: int
    attempt: int
    token: int
    model_version_id: int
    model: str
    owner: UUID | None
    """The account whose model it is. None: the installation's."""
    version: int
    price: Price
    cached_price: Price
    """The price if the result is already cached and nothing is run."""
    review_price: Price
    """The price if a person must check the result."""
    cache_control: str
    cache_ttl_s: int
    """The maximum age of a cached result that may answer. With 0, no cached result does."""
    started_at: datetime
    """The time of the first claim."""
    input_sha256: str
    """The hash of what was sent with the job, in the form in which it is stored. It is empty for a document."""
    livemode: bool
    document: ClaimedDocument | None
    input: Mapping[str, Any] | None
    parameters: Mapping[str, Any]
    waited_s: float = 0.0
    """The time since the page could have run. Earlier time, such as waiting for another try, does not count."""
    apart: bool = False
    """Set for the last try of a page on which workers died."""
    results_generation: int = 0
    """The generation at the claim. Results that are erased while the page runs do not return to the cache."""
    api_key_id: UUID | None = None
    """The key that the job was sent with. None if a person sent it."""
    priority: int = NUMBERS[DEFAULT]

    @property
    def model_key(self) -> str:
        return f"{self.model}@{self.version}"

    @property
    def engine_key(self) -> str:
        """Return the key of the version in workers, which is unique in the installation."""
        return self.model_key if self.owner is None else f"{self.model}.{self.owner.hex}@{self.version}"


def claim_page(
    tenant_id: UUID,
    page_id: UUID,
    worker: str,
    *,
    may_apart: Callable[[], bool] = lambda: True,
    documents: bool = True,
    pool: str = "",
) -> Claim | None:
    """Claim a page. Return None if there is nothing to do: the page is done, canceled, unknown, past the deadline of
    its job or held by another worker, or its tenant is suspended. Messages may be repeated.

    `may_apart` is called if workers have crashed on this page and this may be its last attempt. It returns False if
    another such page is in progress in this process. Then this page is postponed for a moment, so that a page that
    crashes workers does not use up the attempts of other pages. If `documents` is false, pages of documents are not
    claimed. With `pool`, the page is claimed only if workers of this pool were notified of it last: its tenant may have
    another tier by now.
    """
    values: dict[str, Any] = {
        "page": page_id,
        "worker": worker,
        "lease_s": settings.MAAS_LEASE_S,
        "max_attempts": settings.MAAS_MAX_ATTEMPTS,
        "documents": documents,
        "pool": pool,
    }
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_CLAIM, {**values, "apart": False})
        row, apart = cursor.fetchone(), False
        if row is None and not may_apart():
            cursor.execute(_COME_LATER, {**values, "seconds": APART_AGAIN_S})
            return None
        if row is None:
            cursor.execute(_CLAIM, {**values, "apart": True})
            row, apart = cursor.fetchone(), True
        if row is None:
            return None
        columns = dict(zip((column.name for column in cursor.description), row, strict=True))
        starts = columns.pop("starts")
        claim = _claim_of(tenant_id, page_id, columns, apart=apart)
        taken = {"page": claim.number, "attempt": claim.attempt, "state": states.RUNNING}
        begun = [Happened("job.running", {"state": states.RUNNING})] if starts else []
        append_events(claim.job_id, *begun, Happened("page.running", taken))
    return claim


def _claim_of(tenant_id: UUID, page_id: UUID, columns: dict[str, Any], *, apart: bool) -> Claim:
    document_id, kind, file, sha256, too_complex = (
        columns.pop(name) for name in ("document_id", "kind", "file", "sha256", "too_complex_pages")
    )
    document = None
    if document_id is not None:
        document = ClaimedDocument(tenant_id, document_id, kind, file, sha256, tuple(too_complex))
    read = {
        "price": Price.from_json(json.loads(columns["price"])),
        "cached_price": Price.from_json(json.loads(columns["cached_price"])),
        "review_price": Price.from_json(json.loads(columns["review_price"])),
        "input_sha256": columns["input_sha256"] or "",
        "input": None if columns["input"] is None else json.loads(columns["input"]),
        "parameters": json.loads(columns["parameters"]),
        "waited_s": max(0.0, columns["waited_s"]),
    }
    return Claim(tenant_id=tenant_id, page_id=page_id, document=document, apart=apart, **{**columns, **read})


def say_loading(claim: Claim) -> None:
    """Publish that the page waits for its model to be loaded, if this claim still holds the page."""
    with unit_of_work(claim.tenant_id):
        # This is checked under the lock of the job, so that no event is written for a page that ends, or after its job
        # has ended.
        _lock_job(claim, LOCK_TIMEOUT_MS)
        held = Page.objects.filter(id=claim.page_id, state=states.RUNNING, lease_token=claim.token)
        if held.exists():
            data = {"page": claim.number, "attempt": claim.attempt, "state": states.RUNNING}
            append_event(claim.job_id, "page.loading", {**data, "model": claim.model_key})


def renew_leases(claims: Sequence[Claim]) -> set[int]:
    """Renew the leases and return the tokens that are still valid. Work whose token is missing must stop."""
    values: dict[str, Any] = {
        "pages": [claim.page_id for claim in claims],
        "tokens": [claim.token for claim in claims],
        "lease_s": settings.MAAS_LEASE_S,
    }
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        # This bounds the wait for a lock on the whole table, since the worker has pages to end meanwhile.
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_TIMEOUT_MS}ms"])
        cursor.execute(_RENEW, values)
        return {token for (token,) in cursor.fetchall()}


def hand_back(claim: Claim) -> bool:
    """Return a page to the queue if its work was stopped before it was done. The attempt does not count.

    Return False if there is nothing to return: the page was canceled, it is held by another worker by now, or its job
    is locked for longer than there is time. A page that still has a lease then is found when the lease ends.
    """
    try:
        with unit_of_work(claim.tenant_id), connections[APP].cursor() as cursor:
            _lock_job(claim, HAND_BACK_TIMEOUT_MS)
            cursor.execute(_HAND_BACK, [claim.page_id, claim.token])
            if cursor.rowcount == 1:
                data = {"page": claim.number, "state": states.QUEUED, "reason": states.HANDED_BACK}
                append_event(claim.job_id, "page.requeued", data)
            return bool(cursor.rowcount == 1)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            return False
        raise


def _lock_job(claim: Claim, timeout_ms: int) -> None:
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{timeout_ms}ms"])
        cursor.execute("SELECT FROM jobs_job WHERE id = %s FOR NO KEY UPDATE", [claim.job_id])


def is_wanted(claim: Claim) -> bool:
    """Return whether the page exists and is not canceled, even if another worker has it or has done it."""
    with unit_of_work(claim.tenant_id):
        return Page.objects.filter(id=claim.page_id).exclude(state=states.CANCELED).exists()
