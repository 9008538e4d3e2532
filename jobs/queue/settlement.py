"""Ends pages and jobs. Result, charge, counters and events are written in one transaction, or not at all."""

import json
import random
from dataclasses import asdict
from functools import partial
from typing import TypedDict
from uuid import UUID

from django.conf import settings

from inference.core.charging import charged
from inference.core.contracts import WorkOutput
from jobs.charges.page_prices import price_of_run
from jobs.core import states
from jobs.core.errors import LeaseLost
from jobs.core.models import Page
from jobs.core.reading_flags import ReadingFlags, reading_flags
from jobs.core.storable import without_unstorable
from jobs.events.log import Happened, append_event
from jobs.queue.claims import Claim
from jobs.queue.findings import Findings, LastPage, with_findings
from jobs.queue.job_ends import Failure, Reviewed, append_and_close, cas, counted, execute, locked, progress
from jobs.search.services import PageRef, index_page, keep_embedding, order_embedding, text_of
from jobs.search.words import vector_of
from tenants.billing.usage.services import record_usage
from tenants.core.db.unit_of_work import unit_of_work

__all__ = [
    "Failure",
    "Timings",
    "fail_lost_page",
    "fail_page",
    "fail_waiting_page",
    "finish_page",
    "postpone_page",
]

_FINISH = """
UPDATE jobs_page
SET state = 'succeeded', result = %(result)s::jsonb, units = %(units)s::jsonb, cache_key = %(key)s,
    quality = %(quality)s, needs_review = %(needs_review)s, class_probabilities = %(probabilities)s::jsonb,
    cost_micros = %(cost)s, finished_at = clock_timestamp(), result_at = clock_timestamp(),
    lease_until = NULL, error_code = '', error_detail = ''
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
"""

_FAIL = """
UPDATE jobs_page
SET state = 'failed', error_code = %(code)s, error_detail = %(detail)s, finished_at = clock_timestamp(),
    lease_until = NULL
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
"""

_FAIL_WAITING = """
UPDATE jobs_page
SET state = 'failed', error_code = %(code)s, error_detail = %(detail)s, finished_at = clock_timestamp(),
    renotify_at = NULL, waits_for = NULL
WHERE id = %(page)s AND state = 'queued' AND attempt = %(attempt)s
"""

# A page that goes back to the queue gives up the key that it ran under. A worker of the version before this feature
# claims pages without checking the key, and only a page that runs may have it.
_TRY_AGAIN = """
UPDATE jobs_page
SET state = 'queued', error_code = %(code)s, error_detail = %(detail)s, lease_token = NULL, lease_until = NULL,
    renotify_at = NULL, run_after = clock_timestamp() + make_interval(secs => %(delay_s)s), cache_key = NULL
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
"""

POSTPONED_S = 5.0
TIMEOUT_S = 3600.0
"""Seconds for which a page is postponed, from the beginning of the trouble and not of any earlier wait."""

_POSTPONE = """
UPDATE jobs_page
SET state = 'queued', attempt = attempt - 1, error_code = %(code)s, error_detail = %(detail)s, lease_token = NULL,
    lease_until = NULL, renotify_at = NULL, run_after = clock_timestamp() + make_interval(secs => %(delay_s)s),
    cache_key = NULL, started_at = CASE error_code WHEN '' THEN clock_timestamp() ELSE started_at END
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
  AND (%(for_ever)s OR error_code = '' OR started_at > clock_timestamp() - make_interval(secs => %(timeout_s)s))
"""


class Timings(TypedDict):
    """The time that a page spent in each step: opening it, waiting for the model to be loaded, and running it."""

    read_ms: int
    load_ms: int
    run_ms: int


def finish_page(claim: Claim, output: WorkOutput, timings: Timings | None = None, *, key: bytes | None = None) -> None:
    """Store the result of a page and charge for it. Raises LeaseLost, with nothing written, if this claim no longer
    holds the page.

    If there is a `key`, the result answers other pages as well from now on.
    """
    # The text is cut and serialized before the row of the job is locked, since a long text takes time.
    vector, result = vector_of(claim.tenant_id, text_of(output.result)), _json(output.result)
    flags = reading_flags(output.result)
    price = price_of_run(claim.price, claim.review_price, needs_review=flags.needs_review)
    quantity = charged(output.units, price.meter)
    cost = price.cost_micros(quantity) if claim.livemode else 0

    def write(findings: Findings | None) -> None:
        with unit_of_work(claim.tenant_id):
            job = counted(claim.job_id, Reviewed.of(flags), succeeded=1, cost=cost).ending_with(findings)
            values = {"page": claim.page_id, "token": claim.token, "result": result, "cost": cost, "key": key}
            cas(_FINISH, {**values, **_columns(flags), "units": json.dumps(asdict(output.units))})
            _index(claim, vector, output)
            record_usage(
                tenant_id=claim.tenant_id,
                source_kind="page",
                source_id=claim.page_id,
                model=claim.model,
                version=claim.version,
                quantity=quantity,
                price=price,
                amount_micros=cost,
                livemode=claim.livemode,
                key_id=claim.api_key_id,
            )
            data = {**progress(job, claim.number, states.SUCCEEDED), **flags.event_data(), "timings": timings or {}}
            append_and_close(job, [Happened("page.succeeded", data)])

    page = LastPage(claim.number, flags.probabilities, lambda: json.loads(result))
    with_findings(claim.tenant_id, claim.job_id, write, page)


def _columns(flags: ReadingFlags) -> dict[str, object]:
    probabilities = None if flags.probabilities is None else json.dumps(dict(flags.probabilities))
    return {"quality": flags.quality, "needs_review": flags.needs_review, "probabilities": probabilities}


def _index(claim: Claim, vector: str, output: WorkOutput) -> None:
    page = PageRef(claim.tenant_id, claim.job_id, claim.page_id, claim.number)
    index_page(page, vector)
    if output.embedding is not None:
        keep_embedding(page, output.embedding)
    if output.embedded_by and text_of(output.result).strip():
        order_embedding(page, pipeline=claim.model_version_id, role=output.embedded_by)


def fail_page(claim: Claim, failure: Failure, *, may_retry: bool) -> str:
    """Queue the page again with back-off if attempts are left and a retry could help. Otherwise, fail it."""
    write = partial(_fail_page, claim, failure, may_retry=may_retry)
    return with_findings(claim.tenant_id, claim.job_id, lambda findings: write(findings=findings))


def _fail_page(claim: Claim, failure: Failure, *, may_retry: bool, findings: Findings | None) -> str:
    with unit_of_work(claim.tenant_id):
        job = locked(claim.job_id)
        values = {
            "page": claim.page_id,
            "token": claim.token,
            "code": failure.code,
            "detail": failure.detail[:2000],
        }
        if may_retry and claim.attempt < settings.MAAS_MAX_ATTEMPTS:
            delay_s = states.retry_delay_s(claim.attempt, random.random())  # noqa: S311  # jitter, not a secret
            cas(_TRY_AGAIN, {**values, "delay_s": delay_s})
            data = {
                **progress(job, claim.number, states.QUEUED),
                "error": failure.code,
                "attempt": claim.attempt,
            }
            append_event(job.id, "page.retrying", data)
            return "retrying"
        cas(_FAIL, values)
        _count_failure(claim.job_id, claim.number, failure, findings)
        return "failed"


def postpone_page(claim: Claim, failure: Failure, *, for_ever: bool = False) -> str:
    """Postpone a page that did not cause its trouble, for at most an hour unless `for_ever`. No attempt is lost."""
    with unit_of_work(claim.tenant_id):
        job = locked(claim.job_id)
        values = {"page": claim.page_id, "token": claim.token, "code": failure.code, "detail": failure.detail}
        limits = {"timeout_s": TIMEOUT_S, "for_ever": for_ever}
        if execute(_POSTPONE, {**values, "delay_s": POSTPONED_S, **limits}) == 1:
            data = {**progress(job, claim.number, states.QUEUED), "error": failure.code}
            append_event(job.id, "page.retrying", data)
            return "postponed"
    # The time to wait is over. The page may still have attempts left.
    return fail_page(claim, failure, may_retry=True)


def fail_lost_page(page: Page, failure: Failure, findings: Findings | None) -> None:
    """End a page whose workers died. The sweeper calls this in the operator's scope, with the job already locked."""
    cas(
        _FAIL,
        {"page": page.id, "token": page.lease_token, "code": failure.code, "detail": failure.detail},
    )
    _count_failure(page.job_id, page.number, failure, findings)


def fail_waiting_page(page: Page, failure: Failure, findings: Findings | None) -> None:
    """End a page without a worker or a further try, in the operator's scope, with the job locked."""
    values = {"page": page.id, "attempt": page.attempt, "code": failure.code, "detail": failure.detail}
    if execute(_FAIL_WAITING, values) != 1:
        raise LeaseLost(f"page {page.id} waits no more")
    _count_failure(page.job_id, page.number, failure, findings)


def _count_failure(job_id: UUID, number: int, failure: Failure, findings: Findings | None) -> None:
    job = counted(job_id, failed=1).ending_with(findings)
    data = {
        **progress(job, number, states.FAILED),
        "error": {"code": failure.code, "detail": failure.detail},
    }
    append_and_close(job, [Happened("page.failed", data)])


def _json(value: object) -> str:
    try:
        written = json.dumps(value, allow_nan=False)
    except ValueError:  # NaN or infinity
        return json.dumps(without_unstorable(value), allow_nan=False)
    suspicious = "\\u0000" in written or "\\ud" in written
    return json.dumps(without_unstorable(value)) if suspicious else written
