"""Decides which pages are released next: start-time fair queueing between queues, by pages over weight.

A queue (`TenantQueue`) is what one tenant has waiting at one priority for one model version. In virtual time, its
next page begins where its last page ended, or now if that has passed. So a tenant that floods the system is placed
far behind, a new tenant is next, and a tenant without work saves up nothing. Virtual time is the beginning of the
page that was released last."""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from jobs.core.priorities import WEIGHTS

WINDOW_PER_SLOT = 2
"""The largest number of pages for each slot: the page that runs and the next page at hand."""
AT_HAND_S = 0.1
"""Seconds of work that lie ready for a slot: as long as a release takes. More would only make newcomers wait."""
OVERTAKEN_S = 0.5
UNKNOWN_COST_S = 1.0
PAGE_SPACING_S = 30
"""Seconds by which each page of a job counts as submitted after the page before it (`Page.queue_at`).

Within a queue, pages are released in this order. So a short job passes the later pages of a long one, and a page of the
long job waits for jobs that are submitted after it only for as long as its distance from the first page.
"""
MIN_COST_S = 1e-6
"""The lowest cost of a page. With it, two pages of the same queue never begin at the same time."""


@dataclass(frozen=True, slots=True)
class TenantQueue:
    tenant: UUID
    priority: int
    waiting: int
    """The pages that could be released, counted up to a limit."""
    weight: float = 1.0
    """The weight of the tenant."""
    ends: float = 0.0
    """The virtual time at which its last released page ends."""
    heft: float = 1.0
    """The relative cost of a page: the number of usual pages of the model that it equals."""
    room: int | None = None
    """The further pages that its tenant may have under way, at all priorities together. None: any number."""


@dataclass(frozen=True, slots=True)
class Shares:
    """The pages that are released, and what has to be remembered of them."""

    order: tuple[int, ...]
    """Positions in the sequence of queues, one for each page."""
    now: float
    ends: Mapping[int, float] = field(default_factory=dict)
    """The new ends by position, for the queues that have a page in the order."""

    def pages_of(self, position: int) -> int:
        return self.order.count(position)


def release_window(slots: int, service_s: float) -> int:
    """Return how many pages may be under way. `service_s` is the time that a page takes, or 0 if it is unknown.

    If pages are short, the next page must be at hand, or else a slot is idle until a message for it arrives. If pages
    are long, few are kept ready.
    """
    ahead = min(WINDOW_PER_SLOT - 1.0, AT_HAND_S / service_s) if service_s > 0 else WINDOW_PER_SLOT - 1.0
    return slots + math.ceil(slots * ahead)


def slots_of_one(slots: int) -> int:
    """Return how many of the slots one tenant may have under way if no limit was set for it. 0 means all.

    A quarter stays free for other tenants, however long the pages of that tenant take. There are four threads to a
    core, so that three quarters keep all cores busy. Fewer than four slots are not divided.
    """
    return slots - slots // 4 if slots >= 4 else 0


def overtaken_s(slots: int, service_s: float, wake_s: float) -> float:
    """Return the age up to which messages at hand that no worker has begun may be passed by a newcomer.

    It is the time in which two slots become free. It is always short enough that a message is not sent again before its
    page could begin.
    """
    return min(max(OVERTAKEN_S, 2 * service_s / max(1, slots)), wake_s / 2)


def turns(lines: Sequence[TenantQueue], *, now: float, room: int, cost_s: float) -> Shares:
    """Return the next `room` pages. If pages begin at the same time, they are ordered by priority, then by tenant."""
    begins = [_Position(_begin(queue, now, cost_s), queue.priority, queue.tenant, at) for at, queue in enumerate(lines)]
    heap = [position for position in begins if lines[position.at].waiting > 0]
    heapq.heapify(heap)
    left = {queue.tenant: queue.room for queue in lines}
    order: list[int] = []
    taken = [0] * len(lines)
    ends: dict[int, float] = {}
    while heap and len(order) < room:
        position = heapq.heappop(heap)
        queue, may = lines[position.at], left[position.tenant]
        if may is not None:
            if may <= 0:
                continue
            left[position.tenant] = may - 1
        order.append(position.at)
        taken[position.at] += 1
        now = max(now, position.begin)
        ends[position.at] = position.begin + step(queue, cost_s)
        if taken[position.at] < queue.waiting:
            heapq.heappush(heap, _Position(ends[position.at], position.priority, position.tenant, position.at))
    return Shares(tuple(order), now, ends)


def foremost(lines: Sequence[TenantQueue], *, now: float, most: int, cost_s: float) -> list[TenantQueue]:
    """Return the queues that contain the next `most` pages. A page waits in each queue."""
    return heapq.nsmallest(most, lines, key=lambda queue: (_begin(queue, now, cost_s), queue.priority, queue.tenant))


def pages_before(
    lines: Sequence[TenantQueue],
    mine: TenantQueue,
    own_before: int,
    *,
    now: float,
    cost_s: float,
    counted: int,
) -> int | None:
    """Return how many pages are released before a page that has `own_before` pages of its own queue before it.

    Return None if this cannot be determined: a queue was counted only up to `counted` pages, and more of its pages
    would be released first.
    """
    begin = _begin(mine, now, cost_s) + own_before * step(mine, cost_s)
    before = own_before
    for queue in lines:
        if (queue.tenant, queue.priority) == (mine.tenant, mine.priority):
            continue
        gap = (begin - _begin(queue, now, cost_s)) / step(queue, cost_s)
        first = (queue.priority, queue.tenant.bytes) < (mine.priority, mine.tenant.bytes)
        turns_before = max(0, math.floor(gap) + 1 if first else math.ceil(gap))
        if turns_before > queue.waiting >= counted:
            return None
        before += min(queue.waiting, turns_before, queue.waiting if queue.room is None else max(0, queue.room))
    return before


def step(queue: TenantQueue, cost_s: float) -> float:
    """Return how far a page moves its queue in virtual time."""
    return max(cost_s * queue.heft, MIN_COST_S) / (queue.weight * WEIGHTS[queue.priority])


def _begin(queue: TenantQueue, now: float, cost_s: float) -> float:
    """Return the position at which the next page of a queue begins.

    A queue is never further ahead than the cost of the page that it released last, at the present cost of a page. So
    if a page's cost was different or unknown before, the tenant does not wait for pages that were released long ago.
    """
    return max(now, min(queue.ends, now + step(queue, cost_s)))


@dataclass(frozen=True, slots=True, order=True)
class _Position:
    begin: float
    priority: int
    tenant: UUID
    at: int


@dataclass(frozen=True, slots=True)
class Notification:
    page_id: UUID
    tenant_id: UUID
    newcomer: int | None = None
    """The priority of the page if it may pass what lies at hand: its tenant has nothing else under way."""

    @property
    def first(self) -> bool:
        return self.newcomer is not None


def newcomers_first(wakes: Sequence[Notification]) -> list[Notification]:
    """Put one page of each newcomer first, the most urgent before the others. The rest follows in its order."""
    firsts: dict[UUID, Notification] = {}
    for wake in sorted((wake for wake in wakes if wake.first), key=lambda wake: wake.newcomer or 0):
        firsts.setdefault(wake.tenant_id, wake)
    passing = {wake.page_id for wake in firsts.values()}
    rest = [replace(wake, newcomer=None) for wake in wakes if wake.page_id not in passing]
    return [*firsts.values(), *rest]
