"""Which units of some work are included, out of which pools: pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from uuid import UUID

from tenants.billing.plans.agreed import EVERY_MODEL
from tenants.billing.prices import Meter, Price


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

    def is_for(self, work: Work) -> bool:
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


def _share(work: Work, quantity: int) -> int:
    """Rounded down: what is over is never charged too little."""
    return work.amount_micros * quantity // work.quantity


def _turn(room: Room) -> tuple[bool, bool, str]:
    return (not room.held, room.model == EVERY_MODEL, room.pool_id.hex)


def _worth(work: Work) -> tuple[object, ...]:
    each = Fraction(work.price.amount_micros, work.price.per)
    return (-each, work.model, work.cached, work.month or date.max)
