"""Decides which units of some work are included, and from which pools. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from uuid import UUID

from tenants.billing.ledger.reserve_script import pool_name
from tenants.plans.prices import EVERY_MODEL, Meter, Price


@dataclass(frozen=True, slots=True)
class Work:
    """A quantity of uniform work that is done already or is to be done."""

    model: str
    cached: bool
    price: Price
    quantity: int
    amount_micros: int
    """The cost if nothing is included."""
    month: date | None = None
    """The month in which it was done. None if it is still to be done."""
    pool: str | None = None
    """The pool of the units set aside for all of it: its model, or empty for all models. None if there are none."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """Units of a pool that may be taken."""

    pool_id: UUID
    model: str
    meter: Meter
    quantity: int
    month: date | None = None
    """The month whose work may take the units. None if any work may."""
    held: bool = False
    """True if the units were held for this work before."""

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
    room: Remaining
    quantity: int
    saved_micros: int


def allot(works: Iterable[Work], rooms: Sequence[Remaining]) -> list[Allotted]:
    """Allot included units, to the most expensive work first. Held units are used first, then the model's pools, then
    the pools for all models.
    """
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


def left_in(rooms: Iterable[Remaining], allotted: Iterable[Allotted]) -> list[Remaining]:
    taken: dict[Remaining, int] = defaultdict(int)
    for allotment in allotted:
        taken[allotment.room] += allotment.quantity
    return [replace(room, quantity=max(0, room.quantity - taken[room])) for room in rooms]


def cost_by_month(works: Iterable[Work], spared: Iterable[Allotted]) -> dict[date, int]:
    """Return the cost of the work without its included part, by the month in which it was done."""
    costs: dict[date, int] = defaultdict(int)
    for work in works:
        if work.month:
            costs[work.month] += work.amount_micros
    for allotment in spared:
        if allotment.work.month:
            costs[allotment.work.month] -= allotment.saved_micros
    return dict(costs)


def _share(work: Work, quantity: int) -> int:
    """Return the cost of this quantity, rounded down, so that the rest is never charged too little."""
    return work.amount_micros * quantity // work.quantity


def _turn(room: Remaining) -> tuple[bool, bool, str]:
    return (not room.held, room.model == EVERY_MODEL, room.pool_id.hex)


def _worth(work: Work) -> tuple[object, ...]:
    each = Fraction(work.price.amount_micros, work.price.per)
    return (-each, work.model, work.cached, work.month or date.max)
