"""Which units of some work are included, out of which pools: pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from uuid import UUID

from tenants.billing.ledger.reserve_script import pool_name
from tenants.plans.agreed import EVERY_MODEL
from tenants.plans.prices import Meter, Price


@dataclass(frozen=True, slots=True)
class Work:
    """What is alike in all but number: done already, or to be done."""

    model: str
    cached: bool
    price: Price
    quantity: int
    amount_micros: int
    """What it costs where nothing is included."""
    month: date | None = None
    """In which it was done; None of what is still to be done."""
    pool: str | None = None
    """Of whose units some were set aside for all of it before it was done: its model's, or empty for those of all."""


@dataclass(frozen=True, slots=True)
class Room:
    """So many units of a pool may be taken."""

    pool_id: UUID
    model: str
    meter: Meter
    quantity: int
    month: date | None = None
    """Of whose work alone; None for any."""
    held: bool = False
    """Set aside for this work before."""

    def less(self, quantity: int) -> "Room":
        return replace(self, quantity=max(0, self.quantity - quantity))

    @property
    def name(self) -> str:
        return pool_name(self.model, self.meter)

    def is_for(self, work: Work) -> bool:
        if work.pool not in (None, self.model):
            return False
        in_time = None in (self.month, work.month) or self.month == work.month
        return in_time and self.meter == work.price.meter and self.model in (work.model, EVERY_MODEL)


@dataclass(frozen=True, slots=True)
class Allotted:
    work: Work
    room: Room
    quantity: int
    spared_micros: int


def allot(works: Iterable[Work], rooms: Sequence[Room]) -> list[Allotted]:
    """What is dearest first; of what was held first, and of pools of the one model before those of all."""
    left = {room: room.quantity for room in sorted(rooms, key=_turn)}
    found: list[Allotted] = []
    for work in sorted(works, key=_worth):
        if not work.amount_micros:
            continue
        taken = 0
        for room, there in left.items():
            part = min(there, work.quantity - taken) if room.is_for(work) else 0
            if part:
                left[room] = there - part
                spared = _share(work, taken + part) - _share(work, taken)
                found.append(Allotted(work, room, part, spared))
                taken += part
    return found


def left_in(rooms: Iterable[Room], allotted: Iterable[Allotted]) -> list[Room]:
    taken: dict[Room, int] = defaultdict(int)
    for one in allotted:
        taken[one.room] += one.quantity
    return [room.less(taken[room]) for room in rooms]


def cost_by_month(works: Iterable[Work], spared: Iterable[Allotted]) -> dict[date, int]:
    """What work came to without what was included of it, by the month in which it was done."""
    costs: dict[date, int] = defaultdict(int)
    for work in works:
        if work.month:
            costs[work.month] += work.amount_micros
    for one in spared:
        if one.work.month:
            costs[one.work.month] -= one.spared_micros
    return dict(costs)


def _share(work: Work, quantity: int) -> int:
    """Rounded down: what is over is never charged too little."""
    return work.amount_micros * quantity // work.quantity


def _turn(room: Room) -> tuple[bool, bool, str]:
    return (not room.held, room.model == EVERY_MODEL, room.pool_id.hex)


def _worth(work: Work) -> tuple[object, ...]:
    each = Fraction(work.price.amount_micros, work.price.per)
    return (-each, work.model, work.cached, work.month or date.max)
