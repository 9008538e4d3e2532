"""Which deliveries are sent next, so that no endpoint that hangs holds up those that answer."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from heapq import heapify, heappop, heappush
from uuid import UUID

PER_ENDPOINT = 2
"""Of any endpoint, whatever others do. What one that answers fast has beyond is extra, and takes nobody's place."""
WIDEST = 8
PER_TENANT = 8
EXTRA_PER_TENANT = WIDEST - PER_ENDPOINT
EXTRA = 16
"""Of all processes together."""
DOUBTFUL_PER_TENANT = 4


class Standing(IntEnum):
    """What may be expected of an endpoint; the better goes first."""

    ANSWERS = 0
    NEW = 1
    FAILS = 2


@dataclass(frozen=True)
class Lane:
    """An endpoint, seen as a queue."""

    endpoint_id: UUID
    tenant_id: UUID
    standing: Standing
    width: int = PER_ENDPOINT
    """How many requests it may have under way: more while it answers fast, one after a failure."""

    @property
    def doubtful(self) -> bool:
        return self.standing is not Standing.ANSWERS


@dataclass(frozen=True)
class Waiting:
    """A delivery that is due. Its lane's are given in the order in which they became so."""

    delivery_id: UUID
    lane: Lane


class Counts:
    """How much is under way, and whether one more may be."""

    def __init__(self, under_way: Iterable[Lane], *, room: int, doubtful_room: int) -> None:
        self._endpoints: Counter[UUID] = Counter()
        self._tenants: Counter[UUID] = Counter()
        self._doubtful: Counter[UUID] = Counter()
        self._extra: Counter[UUID] = Counter()
        for lane in under_way:
            self._count(lane)
        self._room, self._doubtful_room = room, doubtful_room

    def turn(self, lane: Lane) -> tuple[int, int, int]:
        """The lowest is next."""
        under_way = self._tenants[lane.tenant_id] + self._extra[lane.tenant_id]
        return under_way, lane.standing, self._endpoints[lane.endpoint_id]

    def take(self, lane: Lane) -> None:
        self._count(lane)
        self._room -= 1
        self._doubtful_room -= lane.doubtful

    def has_room(self, lane: Lane) -> bool:
        if self._room <= 0 or self._endpoints[lane.endpoint_id] >= lane.width:
            return False
        if self._endpoints[lane.endpoint_id] >= PER_ENDPOINT:
            return self._has_extra_room(lane)
        if self._tenants[lane.tenant_id] >= PER_TENANT:
            return False
        if not lane.doubtful:
            return True
        return self._doubtful_room > 0 and self._doubtful[lane.tenant_id] < DOUBTFUL_PER_TENANT

    def _has_extra_room(self, lane: Lane) -> bool:
        return (
            not lane.doubtful
            and self._extra[lane.tenant_id] < EXTRA_PER_TENANT
            and self._extra.total() < EXTRA
        )

    def _count(self, lane: Lane) -> None:
        within = self._endpoints[lane.endpoint_id] < PER_ENDPOINT
        self._endpoints[lane.endpoint_id] += 1
        (self._tenants if within else self._extra)[lane.tenant_id] += 1
        self._doubtful[lane.tenant_id] += lane.doubtful


def chosen(
    waiting: Sequence[Waiting], under_way: Iterable[Lane], *, room: int, doubtful_room: int
) -> list[UUID]:
    """The tenant with the fewest requests under way first; of its endpoints, those that answer, then the least busy.

    So an hour's backlog of one is never before what another has waiting. `waiting` is in the order in which it became
    due. `doubtful_room` is how much of the room those may take whose requests may hang until they time out.
    """
    counts = Counts(under_way, room=room, doubtful_room=doubtful_room)
    in_order = [(counts.turn(one.lane), place) for place, one in enumerate(waiting)]
    heapify(in_order)
    taken: list[UUID] = []
    while in_order:
        turn, place = heappop(in_order)
        lane = waiting[place].lane
        # Turns only ever come later while others are taken, and who has no room now has none later in this round.
        if not counts.has_room(lane):
            continue
        if (now := counts.turn(lane)) != turn:
            heappush(in_order, (now, place))
            continue
        counts.take(lane)
        taken.append(waiting[place].delivery_id)
    return taken
