"""Which sessions leave memory so that another one fits."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resident:
    path: str
    weight_bytes: int
    last_used_s: float
    in_use: bool


@dataclass(frozen=True, slots=True)
class Room:
    """What to evict, and whether that is enough; where not, a session in use must end first."""

    evict: tuple[str, ...]
    enough: bool


def make_room(residents: Iterable[Resident], *, needed_bytes: int, budget_bytes: int) -> Room:
    """Evict the least recently used first, none in use, and no more than needed.

    Nothing is evicted when even all that is idle would not make enough room.
    """
    held = list(residents)
    excess_bytes = sum(resident.weight_bytes for resident in held) + needed_bytes - budget_bytes
    evict: list[str] = []
    for resident in sorted(held, key=lambda resident: resident.last_used_s):
        if excess_bytes <= 0:
            break
        if not resident.in_use:
            evict.append(resident.path)
            excess_bytes -= resident.weight_bytes
    enough = excess_bytes <= 0
    return Room(tuple(evict) if enough else (), enough)
