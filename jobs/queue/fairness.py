"""Whose pages are released next: start-time fair queueing between lines, by pages over weight.

A line is what one tenant has waiting at one priority for one model version. Its next page begins, in virtual time,
where its last one ended, or now if that is past: whoever floods places himself far behind, whoever comes new is next,
and nobody saves up turns while having nothing to do. Virtual time is where the page begins that was released last.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from jobs.core.priorities import WEIGHTS

WINDOW_PER_SLOT = 2
"""At most: a page for each slot, and the next one at hand."""
AT_HAND_S = 0.1
"""Of work that lies ready in front of a slot: who ends a page releases the next, so that it need not last longer than
that takes. More would only make newcomers wait."""
OVERTAKEN_S = 0.5
UNKNOWN_COST_S = 1.0
LEAST_COST_S = 1e-6
"""So that two pages of one line never begin at once."""


@dataclass(frozen=True, slots=True)
class Line:
    tenant: UUID
    priority: int
    waiting: int
    """Pages that could be released; counted up to some number."""
    weight: float = 1.0
    """The tenant's."""
    ends: float = 0.0
    """In virtual time: its last released page."""
    heft: float = 1.0
    """How many usual pages of the model one of these is."""
    room: int | None = None
    """How many more pages its tenant may have under way, at all priorities together; None for any number."""


@dataclass(frozen=True, slots=True)
class Turns:
    """What is released, and what has to be remembered of it."""

    order: tuple[int, ...]
    """Places in the sequence of lines, one for each page."""
    now: float
    ends: Mapping[int, float] = field(default_factory=dict)
    """By place, of those that have a page in the order."""

    def pages_of(self, place: int) -> int:
        return self.order.count(place)


def release_window(slots: int, service_s: float) -> int:
    """How many pages may be under way; `service_s` is what one takes, 0 where nobody knows.

    Short pages need the next one at hand, else a slot idles until it is told. Of long ones few are kept ready.
    """
    ahead = min(WINDOW_PER_SLOT - 1.0, AT_HAND_S / service_s) if service_s > 0 else WINDOW_PER_SLOT - 1.0
    return slots + math.ceil(slots * ahead)


def slots_of_one(slots: int) -> int:
    """Return how many of the slots one tenant may have under way, where nobody has said otherwise; 0 for all.

    A quarter stays free for others, however long the pages of that tenant take. There are four threads to a core, so
    that three quarters keep all cores busy. Fewer than four slots are not divided.
    """
    return slots - slots // 4 if slots >= 4 else 0


def overtaken_s(slots: int, service_s: float, wake_s: float) -> float:
    """How long ago what lies at hand may have been told, not to be begun, for a newcomer to pass it.

    As long as two slots take to come free, and never so long that it is told again before it is anybody's turn.
    """
    return min(max(OVERTAKEN_S, 2 * service_s / max(1, slots)), wake_s / 2)


def turns(lines: Sequence[Line], *, now: float, room: int, cost_s: float) -> Turns:
    """The next `room` pages. Equal places go by priority, then by tenant."""
    begins = [
        _Place(_begin(line, now, cost_s), line.priority, line.tenant, at) for at, line in enumerate(lines)
    ]
    heap = [place for place in begins if lines[place.at].waiting > 0]
    heapq.heapify(heap)
    left = {line.tenant: line.room for line in lines}
    order: list[int] = []
    taken = [0] * len(lines)
    ends: dict[int, float] = {}
    while heap and len(order) < room:
        place = heapq.heappop(heap)
        line, may = lines[place.at], left[place.tenant]
        if may is not None:
            if may <= 0:
                continue
            left[place.tenant] = may - 1
        order.append(place.at)
        taken[place.at] += 1
        now = max(now, place.begin)
        ends[place.at] = place.begin + step(line, cost_s)
        if taken[place.at] < line.waiting:
            heapq.heappush(heap, _Place(ends[place.at], place.priority, place.tenant, place.at))
    return Turns(tuple(order), now, ends)


def foremost(lines: Sequence[Line], *, now: float, most: int, cost_s: float) -> list[Line]:
    """Those among whom the next `most` pages are: each has one that waits, so the others begin after all of theirs."""
    return heapq.nsmallest(
        most, lines, key=lambda line: (_begin(line, now, cost_s), line.priority, line.tenant)
    )


def pages_before(
    lines: Sequence[Line], mine: Line, own_before: int, *, now: float, cost_s: float, counted: int
) -> int | None:
    """How many pages are released before one that has `own_before` of its own line before it.

    None where that cannot be told: a line in which more wait than were `counted` would have turns for more.
    """
    begin = _begin(mine, now, cost_s) + own_before * step(mine, cost_s)
    before = own_before
    for line in lines:
        if (line.tenant, line.priority) == (mine.tenant, mine.priority):
            continue
        gap = (begin - _begin(line, now, cost_s)) / step(line, cost_s)
        first = (line.priority, line.tenant.bytes) < (mine.priority, mine.tenant.bytes)
        turns_before = max(0, math.floor(gap) + 1 if first else math.ceil(gap))
        if turns_before > line.waiting >= counted:
            return None
        before += min(line.waiting, turns_before, line.waiting if line.room is None else max(0, line.room))
    return before


def step(line: Line, cost_s: float) -> float:
    """How far a page moves its line in virtual time."""
    return max(cost_s * line.heft, LEAST_COST_S) / (line.weight * WEIGHTS[line.priority])


def _begin(line: Line, now: float, cost_s: float) -> float:
    """A line is never further ahead than by the page it released last, at what a page costs by now.

    So a cost that was told otherwise before, or not at all, makes nobody wait for what is long paid.
    """
    return max(now, min(line.ends, now + step(line, cost_s)))


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    begin: float
    priority: int
    tenant: UUID
    at: int
