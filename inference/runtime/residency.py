"""Which sessions leave memory so that another one fits: those whose keeping is worth least for the memory they take."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

One = TypeVar("One")
HALVES_IN_S = 300.0
"""Documents come in bursts some minutes apart; a use counts half after this time."""
LEAST_LOAD_S = 0.05
"""Below this, how long a load took says more about the moment than about the model."""


@dataclass(frozen=True, slots=True)
class UseRate:
    """Uses, each counting less the longer ago it was: recent and frequent in one number."""

    count: float = 0.0
    at_s: float = 0.0

    def again(self, now_s: float) -> "UseRate":
        return UseRate(self.by(now_s) + 1.0, now_s)

    def by(self, now_s: float) -> float:
        return float(self.count * 0.5 ** (max(0.0, now_s - self.at_s) / HALVES_IN_S))


@dataclass(frozen=True, slots=True)
class Resident:
    path: str
    held_bytes: int
    uses: float = 0.0
    """As `UseRate.by` this moment: how often it is likely to be asked for."""
    load_s: float = 0.0
    last_used_s: float = 0.0
    in_use: bool = False

    @property
    def worth(self) -> float:
        """Seconds of loading that keeping it is expected to save."""
        return self.uses * max(self.load_s, LEAST_LOAD_S)

    @property
    def worth_per_byte(self) -> float:
        return self.worth / max(1, self.held_bytes)


@dataclass(frozen=True, slots=True)
class Room:
    """What to evict, and whether that is enough; where not, a session in use must end first."""

    evict: tuple[str, ...]
    enough: bool


def make_room(residents: Iterable[Resident], *, needed_bytes: int, budget_bytes: int) -> Room:
    """Evict what is worth least per byte first, none in use, and nothing that turns out not to be needed.

    Nothing is evicted when even all that is idle would not make enough room.
    """
    held = list(residents)
    excess_bytes = _held_bytes(held) + needed_bytes - budget_bytes
    idle = sorted(
        (resident for resident in held if not resident.in_use),
        key=lambda resident: (resident.worth_per_byte, resident.last_used_s, resident.path),
    )
    if _held_bytes(idle) < excess_bytes:
        return Room((), enough=False)
    evict: list[Resident] = []
    for resident in idle:
        if _held_bytes(evict) >= excess_bytes:
            break
        evict.append(resident)
    dearest_first = sorted(evict, key=lambda resident: (-resident.worth, resident.path))
    needed = without_needless(evict, dearest_first, lambda rest: _held_bytes(rest) >= excess_bytes)
    return Room(tuple(resident.path for resident in needed), enough=True)


def without_needless(
    leaving: Sequence[One], dearest_first: Sequence[One], suffices: Callable[[Sequence[One]], bool]
) -> list[One]:
    """A large one that came late may make all the room that small ones before it were to make: these stay."""
    needed = list(leaving)
    for one in dearest_first:
        rest = [other for other in needed if other != one]
        if suffices(rest):
            needed = rest
    return needed


def _held_bytes(residents: Iterable[Resident]) -> int:
    return sum(resident.held_bytes for resident in residents)
