"""Limits how many pages of a tenant may be unfinished. This is checked before anything of a job is stored."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F, Sum
from django.utils import timezone

from jobs.core import states
from jobs.core.errors import TooManyUnfinishedPages
from jobs.core.models import Job
from jobs.core.recent_refusals import turned_away
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import every_mode
from tenants.identity.identity import Identity
from tenants.limits.rates.metrics import REFUSED
from tenants.plans.models import ChosenLimits

COUNTED_EACH_TIME = 10_000
"""The largest limit that is counted each time. A larger one is counted each second, and here in between."""
COUNT_KEPT_S = 1.0
MAX_REMEMBERED = 10_000
MAX_JOBS = 200_000
PACE_S = 60
NEWEST = 200
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
    """Raise TooManyUnfinishedPages if the tenant may not have so many more pages. This runs in the unit of work in
    which the job is stored.

    A job with more pages than the limit is admitted if no other job is unfinished, so that no document has to be split.
    If `counts` is false, this is only a check for a document that is still to be stored, and it waits for no other
    submission.
    """
    tenant_id = identity.tenant_id
    if _has_room(tenant_id, pages if counts else 0, asked=pages):
        return
    limit = max_unfinished_pages(tenant_id)
    if limit is None:
        _remember(tenant_id, MAX_JOBS)
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
            _remember(tenant_id, limit - unfinished)
        turned_away(tenant_id)
        raise _refusal(limit, unfinished, pages)
    if limit > COUNTED_EACH_TIME:
        _remember(tenant_id, limit - unfinished - (pages if counts else 0))


def _refusal(limit: int, unfinished: int, pages: int) -> TooManyUnfinishedPages:
    REFUSED.labels("tenant", "unfinished_pages").inc()
    pause_s = _pause_s(min(unfinished, unfinished + pages - limit))
    return TooManyUnfinishedPages(
        f"This account has {unfinished:,} unfinished pages and this job has {pages:,} more; the maximum is {limit:,}."
        f" Send this again in {pause_s} s, or cancel some jobs.",
        extra={
            "retry_after_s": pause_s,
            "limit": {"of": "tenant", "name": "unfinished_pages", "amount": limit},
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
            told = newest.values_list("started_at", "finished_at", "pages_succeeded", "pages_failed")[:NEWEST]
        yield from told


def _has_room(tenant_id: UUID, pages: int, *, asked: int) -> bool:
    counted = _fresh(tenant_id)
    if counted is None or counted.room < asked:
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


def _remember(tenant_id: UUID, room: int) -> None:
    if len(_counted) >= MAX_REMEMBERED:
        _counted.clear()
    _counted[tenant_id] = _Counted(time.monotonic() + COUNT_KEPT_S, room)
