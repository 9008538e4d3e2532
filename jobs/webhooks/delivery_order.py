"""Decides which deliveries are sent next, so that an endpoint that hangs does not delay endpoints that respond."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from heapq import heapify, heappop, heappush
from uuid import UUID

PER_ENDPOINT = 2
"""The number of requests that any endpoint may have under way, whatever the others do. Further requests of an endpoint
that responds fast are extra and take no slot of the others.
"""
WIDEST = 8
PER_TENANT = 8
EXTRA_PER_TENANT = WIDEST - PER_ENDPOINT
EXTRA = 16
"""The highest number of extra requests in all processes together."""
DOUBTFUL_PER_TENANT = 4


class Standing(IntEnum):
    """The expectation for an endpoint. A better one is served first."""

    ANSWERS = 0
    NEW = 1
    FAILS = 2


@dataclass(frozen=True)
class DeliveryQueue:
    """The queue of an endpoint."""

    endpoint_id: UUID
    tenant_id: UUID
    standing: Standing
    width: int = PER_ENDPOINT
    """The number of requests that the endpoint may have under way: more while it responds fast, one after a failure."""

    @property
    def doubtful(self) -> bool:
        return self.standing is not Standing.ANSWERS


@dataclass(frozen=True)
class Waiting:
    """A delivery that is due. The deliveries of an endpoint are given in the order in which they became due."""

    delivery_id: UUID
    lane: DeliveryQueue


class Counts:
    """The counts of requests under way, which decide whether one more may start."""

    def __init__(self, under_way: Iterable[DeliveryQueue], *, room: int, doubtful_room: int) -> None:
        self._endpoints: Counter[UUID] = Counter()
        self._tenants: Counter[UUID] = Counter()
        self._doubtful: Counter[UUID] = Counter()
        self._extra: Counter[UUID] = Counter()
        for lane in under_way:
            self._count(lane)
        self._room, self._doubtful_room = room, doubtful_room

    def turn(self, lane: DeliveryQueue) -> tuple[int, int, int]:
        """Return the rank of the queue. The lowest rank is next."""
        under_way = self._tenants[lane.tenant_id] + self._extra[lane.tenant_id]
        return under_way, lane.standing, self._endpoints[lane.endpoint_id]

    def take(self, lane: DeliveryQueue) -> None:
        self._count(lane)
        self._room -= 1
        self._doubtful_room -= lane.doubtful

    def has_room(self, lane: DeliveryQueue) -> bool:
        if self._room <= 0 or self._endpoints[lane.endpoint_id] >= lane.width:
            return False
        if self._endpoints[lane.endpoint_id] >= PER_ENDPOINT:
            return self._has_extra_room(lane)
        if self._tenants[lane.tenant_id] >= PER_TENANT:
            return False
        if not lane.doubtful:
            return True
        return self._doubtful_room > 0 and self._doubtful[lane.tenant_id] < DOUBTFUL_PER_TENANT

    def _has_extra_room(self, lane: DeliveryQueue) -> bool:
        return not lane.doubtful and self._extra[lane.tenant_id] < EXTRA_PER_TENANT and self._extra.total() < EXTRA

    def _count(self, lane: DeliveryQueue) -> None:
        within = self._endpoints[lane.endpoint_id] < PER_ENDPOINT
        self._endpoints[lane.endpoint_id] += 1
        (self._tenants if within else self._extra)[lane.tenant_id] += 1
        self._doubtful[lane.tenant_id] += lane.doubtful


def chosen(
    waiting: Sequence[Waiting], under_way: Iterable[DeliveryQueue], *, room: int, doubtful_room: int
) -> list[UUID]:
    """Choose the deliveries to send. The tenant with the fewest requests under way is first; of its endpoints, those
    that respond, and then the least busy one.

    This way a backlog of one tenant is never served before what another tenant has waiting. `waiting` is in the order
    in which the deliveries became due. `doubtful_room` is the part of the capacity for endpoints whose requests may
    hang until they time out.
    """
    counts = Counts(under_way, room=room, doubtful_room=doubtful_room)
    in_order = [(counts.turn(delivery.lane), position) for position, delivery in enumerate(waiting)]
    heapify(in_order)
    taken: list[UUID] = []
    while in_order:
        turn, position = heappop(in_order)
        lane = waiting[position].lane
        # A rank only gets later while other deliveries are taken. A queue without capacity now has none later in this
        # round either.
        if not counts.has_room(lane):
            continue
        if (now := counts.turn(lane)) != turn:
            heappush(in_order, (now, position))
            continue
        counts.take(lane)
        taken.append(waiting[position].delivery_id)
    return taken
