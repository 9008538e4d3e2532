"""Steps of a worker before it runs a page: take a cached result, or wait for a result that is being made.

A unique index lets one of the running pages with a key run. The others go back to the queue. A trigger releases them in
the transaction in which it stops (migration 0009); if that is lost, they come back by themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import IntegrityError
from django.db.models.fields.json import KeyTextTransform

from inference.core.charging import charged
from inference.core.contracts import VersionSpec
from inference.runtime.parameters import validate_parameters
from jobs.charges.page_prices import price_of_hit, price_of_run
from jobs.core import states
from jobs.core.models import Page
from jobs.events.log import Happened, append_event
from jobs.queue.claims import Claim
from jobs.queue.findings import Findings, LastPage, with_findings
from jobs.queue.job_ends import Reviewed, append_and_close, cas, counted_known, execute, locked, progress
from jobs.results.reuse.accepting import USAGE, said_of
from jobs.results.reuse.cached_pages import (
    COALESCED,
    HIT,
    CachedPage,
    Content,
    hold,
    known_page,
    page_key,
    reuse_secret,
)
from jobs.search.services import PageRef, Pair, copy_embeddings, index_page
from jobs.search.words import vector_of
from tenants.billing.usage.services import record_usage
from tenants.core.db.unit_of_work import unit_of_work
from tenants.plans.prices import saved_micros

COME_BACK_S = 60.0
"""Seconds after which a waiting page is tried again if nothing has released it."""
SOON_S = 0.3
"""Seconds after which a page is tried again if the page that runs is ending at this moment."""

# This does not wait for the disk. If a crash of the database loses a registration, only the benefit of the registration
# is lost.
_REGISTER = """
UPDATE jobs_page SET cache_key = %(key)s
FROM (SELECT set_config('synchronous_commit', 'off', true)) AS at_once
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
  AND NOT EXISTS (
    SELECT FROM jobs_page other
    WHERE other.tenant_id = %(tenant)s AND other.cache_key = %(key)s AND other.state = 'running'
      AND other.id <> %(page)s
  )
"""

# This never waits for a locked page, because the transaction that holds the lock may want what this one holds.
_MARK = """
UPDATE jobs_page SET awaited = true
WHERE id IN (
    SELECT id FROM jobs_page
    WHERE tenant_id = %(tenant)s AND cache_key = %(key)s AND state = 'running' AND id <> %(page)s
    FOR NO KEY UPDATE SKIP LOCKED
)
"""

# The page's earlier trouble is over, because the page could be opened. But it still counts that workers died with it.
_WAIT = """
UPDATE jobs_page
SET state = 'queued', attempt = attempt - 1, waits_for = %(key)s, lease_token = NULL, lease_until = NULL,
    renotify_at = NULL, run_after = clock_timestamp() + make_interval(secs => %(delay_s)s), cache_key = NULL,
    error_code = CASE error_code WHEN 'worker_lost' THEN error_code ELSE '' END
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
"""

_TAKE = """
UPDATE jobs_page page
SET state = 'succeeded', result = known.result, units = known.units, result_at = known.result_at, cache_key = %(key)s,
    quality = known.quality, needs_review = known.needs_review, class_probabilities = known.class_probabilities,
    cached = true, cost_micros = %(cost)s, finished_at = clock_timestamp(), lease_until = NULL, error_code = '',
    error_detail = ''
FROM jobs_page known
WHERE known.id = %(known)s AND page.id = %(page)s AND page.state = 'running' AND page.lease_token = %(token)s
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one page uses cached results. Without a key, no cached result is used, and the page's own result is not
    cached.
    """

    key: bytes | None
    looks: bool
    """Set if a cached result is good enough, and other pages shall wait for this one."""


@dataclass(frozen=True, slots=True)
class Found:
    """A cached result, or `elsewhere` if another page is being run for it. With neither, this page runs."""

    cached: CachedPage | None = None
    elsewhere: bool = False


def plan_for(claim: Claim, spec: VersionSpec, content: Content) -> Plan:
    if claim.cache_control == "no-store" or not claim.cache_ttl_s:
        return Plan(None, looks=False)
    key = page_key(
        secret=reuse_secret(),
        tenant_id=claim.tenant_id,
        generation=claim.results_generation,
        livemode=claim.livemode,
        digest=spec.digest,
        parameters=validate_parameters(spec.runtime, claim.parameters, spec.config),
        content=content,
    )
    return Plan(key, looks=not claim.cache_control)


def look(claim: Claim, key: bytes) -> Found:
    """Look for a result, else register this page as the run and look again, for a run that has just ended."""
    values = {"tenant": claim.tenant_id, "page": claim.page_id, "token": claim.token, "key": key}
    try:
        with unit_of_work(claim.tenant_id):
            cached = known_page(key, ttl_s=claim.cache_ttl_s)
            if cached is not None:
                return Found(cached)
            if execute(_REGISTER, values) != 1:
                return Found(elsewhere=True)
            return Found(known_page(key, ttl_s=claim.cache_ttl_s))
    except IntegrityError:
        # Two pages tried to register at once.
        return Found(elsewhere=True)


def wait_for_it(claim: Claim, key: bytes) -> str:
    """Put the page back into the queue and return its attempt. Raises LeaseLost if another claim has the page."""
    values = {"tenant": claim.tenant_id, "page": claim.page_id, "token": claim.token, "key": key}
    with unit_of_work(claim.tenant_id):
        job = locked(claim.job_id)
        marked = execute(_MARK, values) == 1
        cas(_WAIT, {**values, "delay_s": COME_BACK_S if marked else SOON_S})
        data = {**progress(job, claim.number, states.QUEUED), "reason": states.SAME_PAGE_RUNS}
        append_event(job.id, "page.requeued", data)
    return "waits_for_same_page"


def take_known_page(claim: Claim, key: bytes, cached: CachedPage) -> str:
    """Write result, charge, counters and events in one transaction. Look once more if the result was erased."""
    # The result was made while this page waited for it, so it did not exist when the page was taken.
    coalesced = cached.result_at > claim.started_at
    text = _text_of(claim, cached)
    if text is None:
        return wait_for_it(claim, key)
    vector = vector_of(claim.tenant_id, text)
    price = price_of_hit(claim.cached_price, claim.review_price, needs_review=cached.flags.needs_review)
    quantity = charged(cached.units, price.meter)
    cost = price.cost_micros(quantity) if claim.livemode else 0

    def write(findings: Findings | None) -> str:
        with unit_of_work(claim.tenant_id):
            if not hold(cached.id):
                return wait_for_it(claim, key)
            counts = {"pages": 1, "coalesced": int(coalesced), "cost": cost}
            job = counted_known(claim.job_id, Reviewed.of(cached.flags), oldest=cached.result_at, **counts)
            job = job.ending_with(findings)
            cas(
                _TAKE,
                {"page": claim.page_id, "token": claim.token, "known": cached.id, "key": key, "cost": cost},
            )
            index_page(PageRef(claim.tenant_id, claim.job_id, claim.page_id, claim.number), vector)
            copy_embeddings(claim.job_id, [Pair(claim.page_id, claim.number, cached.id)])
            record_usage(
                tenant_id=claim.tenant_id,
                source_kind=USAGE,
                source_id=claim.page_id,
                model=claim.model,
                version=claim.version,
                quantity=quantity,
                price=price,
                amount_micros=cost,
                livemode=claim.livemode,
                key_id=claim.api_key_id,
                cached=True,
                saved_micros=_saved_micros(claim, cached, cost),
            )
            data = {**progress(job, claim.number, states.SUCCEEDED), **said_of(cached)}
            append_and_close(job, [Happened("page.succeeded", data)])
        return COALESCED if coalesced else HIT

    page = LastPage(claim.number, cached.flags.probabilities, partial(_result_of, cached.id))
    return with_findings(claim.tenant_id, claim.job_id, write, page)


def _saved_micros(claim: Claim, cached: CachedPage, cost_micros: int) -> int:
    price = price_of_run(claim.price, claim.review_price, needs_review=cached.flags.needs_review)
    quantity = charged(cached.units, price.meter)
    saved = saved_micros(price, quantity, cost_micros=cost_micros, currency=claim.cached_price.currency)
    return saved if claim.livemode else 0


def _text_of(claim: Claim, cached: CachedPage) -> str | None:
    """Return the text of a cached page, None if erased. Its words are made anew, with this document's name."""
    with unit_of_work(claim.tenant_id):
        found = Page.objects.filter(id=cached.id)
        texts = [text or "" for text in found.values_list(KeyTextTransform("text", "result"), flat=True)]
    return texts[0] if texts else None


def _result_of(page_id: UUID) -> Mapping[str, Any]:
    """Return the result of a page, in a unit of work. It is empty if it was erased meanwhile."""
    return Page.objects.filter(id=page_id).values_list("result", flat=True).first() or {}
