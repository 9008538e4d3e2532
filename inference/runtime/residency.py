"""The choice of the sessions that leave memory for another one: those worth least for the memory they take."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

One = TypeVar("One")
HALVES_IN_S = 300.0
"""Seconds after which a use counts half. Documents come in bursts some minutes apart."""
MIN_LOAD_S = 0.05
"""The shortest load time that counts. Below it, the time of a load says more about the moment than about the model."""


@dataclass(frozen=True, slots=True)
class UseRate:
    """The uses of a session as one number. A use counts less the longer ago it was."""

    count: float = 0.0
    at_s: float = 0.0

    def again(self, now_s: float, times: int = 1) -> "UseRate":
        return UseRate(self.by(now_s) + times, now_s)

    def by(self, now_s: float) -> float:
        return float(self.count * 0.5 ** (max(0.0, now_s - self.at_s) / HALVES_IN_S))


@dataclass(frozen=True, slots=True)
class Resident:
    path: str
    held_bytes: int
    uses: float = 0.0
    """The value of `UseRate.by` at this moment, which shows how often the session is likely to be requested."""
    load_s: float = 0.0
    last_used_s: float = 0.0
    in_use: bool = False

    @property
    def worth(self) -> float:
        """Return the seconds of loading that keeping it is expected to save."""
        return self.uses * max(self.load_s, MIN_LOAD_S)

    @property
    def worth_per_byte(self) -> float:
        return self.worth / max(1, self.held_bytes)


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """The sessions to evict, and whether that is enough. If it is not, a session in use must end first."""

    evict: tuple[str, ...]
    enough: bool


def make_room(residents: Iterable[Resident], *, needed_bytes: int, budget_bytes: int) -> MemoryBudget:
    """Choose the idle sessions to evict, those with the least value per byte first. None is evicted that is not
    needed, or if all together would not free enough.
    """
    held = list(residents)
    excess_bytes = _held_bytes(held) + needed_bytes - budget_bytes
    idle = sorted(
        (resident for resident in held if not resident.in_use),
        key=lambda resident: (resident.worth_per_byte, resident.last_used_s, resident.path),
    )
    if _held_bytes(idle) < excess_bytes:
        return MemoryBudget((), enough=False)
    evict: list[Resident] = []
    for resident in idle:
        if _held_bytes(evict) >= excess_bytes:
            break
        evict.append(resident)
    dearest_first = sorted(evict, key=lambda resident: (-resident.worth, resident.path))
    needed = without_needless(evict, dearest_first, lambda rest: _held_bytes(rest) >= excess_bytes)
    return MemoryBudget(tuple(resident.path for resident in needed), enough=True)


def without_needless(
    leaving: Sequence[One], dearest_first: Sequence[One], suffices: Callable[[Sequence[One]], bool]
) -> list[One]:
    """Return the sessions that must leave. A large one chosen late may free all that small ones were to free."""
    needed = list(leaving)
    for resident in dearest_first:
        rest = [other for other in needed if other != resident]
        if suffices(rest):
            needed = rest
    return needed


def _held_bytes(residents: Iterable[Resident]) -> int:
    return sum(resident.held_bytes for resident in residents)
