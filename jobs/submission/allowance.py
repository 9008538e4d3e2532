"""Limits how much work a tenant may have under way and submit. This is checked before anything of a job is stored."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from jobs.core import states
from jobs.core.errors import TooManyUnfinishedJobs
from jobs.core.models import Job
from jobs.core.recent_refusals import turned_away
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import every_mode
from tenants.identity.identity import Identity
from tenants.limits.rates.free_day import free_day
from tenants.limits.rates.metrics import REFUSED
from tenants.limits.rates.spending import Price, spending

COUNTED_EACH_TIME = 10_000
"""The largest limit that is counted each time. A larger one is counted each second below half of it."""
COUNT_KEPT_S = 1.0
MAX_REMEMBERED = 10_000
NEWEST = 200
_far_from_full_until_s: dict[UUID, float] = {}


@contextmanager
def pages_paid(identity: Identity, model: str, pages: int, *, inputs: int = 1) -> Iterator[None]:
    """Spend the rate limits and the allowance of a job, and give them back if the code in the context fails. Raises
    RateLimited and AllowanceSpent.

    `inputs` is the number of texts or rows that came with the job itself. For the daily allowance of tests, each of
    them counts as a page.

    A job with more pages than the limit is admitted if none are used up, and its excess is worked off before the next
    job. So no document has to be split.
    """
    own = identity.rates.of_model(model)
    prices = [Price(limit, pages) for limit in (*identity.rates.pages, *own.pages)]
    prices += [Price(limit, 1) for limit in own.requests]
    free = 0 if identity.livemode else max(pages, inputs)
    if free:
        free_day().spend(identity.tenant_id, "pages", free)
    try:
        with _spent(prices):
            yield
    except BaseException:
        if free:
            free_day().give_back(identity.tenant_id, "pages", free)
        raise


@contextmanager
def _spent(prices: Sequence[Price]) -> Iterator[None]:
    spending().spend(prices)
    try:
        yield
    except BaseException:
        spending().give_back(prices)
        raise


def require_room_for_job(identity: Identity, *, counts: bool = True) -> None:
    """Raise TooManyUnfinishedJobs if the tenant may not have another job. This runs in the unit of work in which the
    job is stored.

    If `counts` is false, this is only a check for a document that is still to be stored, and it waits for no other
    submission.
    """
    limit = identity.limits.unfinished_jobs
    if limit is None or _is_far_from_full(identity.tenant_id):
        return
    if counts and limit <= COUNTED_EACH_TIME:
        # A submission waits for another submission of the same tenant. Otherwise, two at once would both find the last
        # position free.
        lock_tenant(identity.tenant_id)
    unfinished = unfinished_jobs(limit)
    if unfinished >= limit:
        turned_away(identity.tenant_id)
        raise _refusal(limit)
    if limit > COUNTED_EACH_TIME and unfinished < limit // 2:
        _remember(identity.tenant_id)


def unfinished_jobs(most: int) -> int:
    """Count the unfinished jobs, up to `most`. This runs inside a unit of work."""
    with every_mode():
        return Job.objects.filter(state__in=states.UNFINISHED).order_by()[:most].count()


def _refusal(limit: int) -> TooManyUnfinishedJobs:
    REFUSED.labels("tenant", "jobs").inc()
    pause_s = _next_end_s()
    return TooManyUnfinishedJobs(
        f"This account has {limit:,} unfinished jobs, the maximum. Send this again in {pause_s} s, or"
        " cancel some.",
        extra={
            "retry_after_s": pause_s,
            "limit": {"of": "tenant", "name": "unfinished_jobs", "amount": limit},
        },
    )


def _next_end_s() -> int:
    """Estimate the seconds until the next job ends, at the pace at which the newest jobs ended in the last minute."""
    with every_mode():
        newest = list(Job.objects.order_by("-id").values_list("finished_at", flat=True)[:NEWEST])
    since = timezone.now() - timedelta(minutes=1)
    ended = sum(1 for finished_at in newest if finished_at is not None and finished_at > since)
    return max(1, round(60 / ended)) if ended else 30


def _is_far_from_full(tenant_id: UUID) -> bool:
    return time.monotonic() < _far_from_full_until_s.get(tenant_id, 0.0)


def _remember(tenant_id: UUID) -> None:
    if len(_far_from_full_until_s) >= MAX_REMEMBERED:
        _far_from_full_until_s.clear()
    _far_from_full_until_s[tenant_id] = time.monotonic() + COUNT_KEPT_S
