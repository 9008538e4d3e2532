"""Limits how much work a tenant may submit and have under way, before anything of a job is stored."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F, Sum
from django.utils import timezone

from jobs.core import states
from jobs.core.errors import TooManyUnfinishedJobs, TooManyUnfinishedPages
from jobs.core.models import Job
from jobs.core.recent_refusals import turned_away
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import every_mode
from tenants.identity.identity import Identity
from tenants.limits.rates.free_day import free_day
from tenants.limits.rates.metrics import REFUSED
from tenants.limits.rates.spending import Price, spending
from tenants.plans.models import ChosenLimits

COUNTED_EACH_TIME = 10_000
"""The largest limit that is counted each time. A larger one is counted once a second."""
COUNT_KEPT_S = 1.0
MAX_REMEMBERED = 10_000
NEWEST = 200
_far_from_full_until_s: dict[UUID, float] = {}


@contextmanager
def pages_paid(identity: Identity, model: str, pages: int, *, inputs: int = 1) -> Iterator[None]:
    """Spend a job's rate limits and allowance, and give them back if the context fails.

    Raises RateLimited or AllowanceSpent. Each of the `inputs`, texts or rows, counts as a page of the daily allowance
    of tests. A job above the limit is admitted if nothing is used up, so that no document has to be split.
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
    """Raise TooManyUnfinishedJobs in the job's unit of work. Without `counts`, nothing is locked or waited for."""
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
        f"This account has {limit:,} unfinished jobs, the maximum. Send this again in {pause_s} s, or cancel some.",
        extra={
            "retry_after_s": pause_s,
            "limit": {"scope": "tenant", "name": "unfinished_jobs", "amount": limit},
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


MAX_JOBS = 200_000
PACE_S = 60
LONGEST_PAUSE_S = 3600
UNKNOWN_PAUSE_S = 30

_LEFT = F("pages_total") - F("pages_succeeded") - F("pages_failed")


@dataclass(slots=True)
class _Counted:
    until_s: float
    room: int


_counted: dict[UUID, _Counted] = {}


def max_unfinished_pages(tenant_id: UUID) -> int | None:
    """Return the limit of the tenant, or None for any number. This runs inside a unit of work."""
    chosen = ChosenLimits.objects.filter(pk=tenant_id).values_list("unfinished_pages", flat=True).first()
    return (settings.MAAS_UNFINISHED_PAGES if chosen is None else chosen) or None


def unfinished_pages() -> int:
    """Count the unfinished pages. This runs inside a unit of work."""
    with every_mode():
        open_jobs = Job.objects.filter(state__in=states.UNFINISHED).order_by()
        left = open_jobs.annotate(left=_LEFT).values("left")[:MAX_JOBS].aggregate(pages=Sum("left"))
    return int(left["pages"] or 0)


def require_room_for_pages(identity: Identity, pages: int, *, counts: bool = True) -> None:
    """Raise TooManyUnfinishedPages in the job's unit of work. Without `counts`, nothing is locked or waited for.

    A job above the limit is admitted if no other is unfinished, so that no document has to be split.
    """
    tenant_id = identity.tenant_id
    if _has_room(tenant_id, pages if counts else 0, requested=pages):
        return
    limit = max_unfinished_pages(tenant_id)
    if limit is None:
        _remember_pages(tenant_id, MAX_JOBS)
        return
    if counts and limit <= COUNTED_EACH_TIME:
        # A submission waits for another submission of the same tenant. Otherwise, two would both find the last headroom
        # free.
        lock_tenant(tenant_id)
    unfinished = _just_counted(tenant_id, limit)
    if unfinished is None:
        unfinished = unfinished_pages()
    if unfinished and unfinished + pages > limit:
        # The count is not kept longer than from when it was made: a caller that is refused repeatedly is to learn of
        # new headroom.
        if limit > COUNTED_EACH_TIME and _fresh(tenant_id) is None:
            _remember_pages(tenant_id, limit - unfinished)
        turned_away(tenant_id)
        raise _pages_refusal(limit, unfinished, pages)
    if limit > COUNTED_EACH_TIME:
        _remember_pages(tenant_id, limit - unfinished - (pages if counts else 0))


def _pages_refusal(limit: int, unfinished: int, pages: int) -> TooManyUnfinishedPages:
    REFUSED.labels("tenant", "unfinished_pages").inc()
    pause_s = _pause_s(min(unfinished, unfinished + pages - limit))
    return TooManyUnfinishedPages(
        f"This account has {unfinished:,} unfinished pages and this job has {pages:,} more; the maximum is {limit:,}."
        f" Send this again in {pause_s} s, or cancel some jobs.",
        extra={
            "retry_after_s": pause_s,
            "limit": {"scope": "tenant", "name": "unfinished_pages", "amount": limit},
        },
    )


def _pause_s(pages: int) -> int:
    """Estimate the time until so many pages have ended, at the pace of the newest jobs in the last minute."""
    now = timezone.now()
    since = now - timedelta(seconds=PACE_S)
    ended_a_s = 0.0
    for started_at, finished_at, succeeded, failed in _newest():
        if finished_at is not None and finished_at <= since:
            continue
        lasted_s = ((finished_at or now) - (started_at or now)).total_seconds()
        ended_a_s += (succeeded + failed) / max(PACE_S, lasted_s)
    if not ended_a_s:
        return UNKNOWN_PAUSE_S
    return min(LONGEST_PAUSE_S, max(1, math.ceil(pages / ended_a_s)))


def _newest() -> Iterator[tuple[datetime | None, datetime | None, int, int]]:
    """Yield the newest jobs, state by state as their index has them, so that repeated refusals read little."""
    for state in (states.RUNNING, states.SUCCEEDED, states.PARTIALLY_SUCCEEDED, states.FAILED):
        with every_mode():
            newest = Job.objects.filter(state=state).order_by("-id")
            rows = newest.values_list("started_at", "finished_at", "pages_succeeded", "pages_failed")[:NEWEST]
        yield from rows


def _has_room(tenant_id: UUID, pages: int, *, requested: int) -> bool:
    counted = _fresh(tenant_id)
    if counted is None or counted.room < requested:
        return False
    counted.room -= pages
    return True


def _just_counted(tenant_id: UUID, limit: int) -> int | None:
    """Return how many pages were unfinished when this process last counted, if that was a moment ago."""
    counted = _fresh(tenant_id)
    return None if counted is None or limit <= COUNTED_EACH_TIME else limit - counted.room


def _fresh(tenant_id: UUID) -> _Counted | None:
    counted = _counted.get(tenant_id)
    return None if counted is None or time.monotonic() > counted.until_s else counted


def _remember_pages(tenant_id: UUID, room: int) -> None:
    if len(_counted) >= MAX_REMEMBERED:
        _counted.clear()
    _counted[tenant_id] = _Counted(time.monotonic() + COUNT_KEPT_S, room)
