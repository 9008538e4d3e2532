"""Which of the loads that wait begins next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.runtime.residency import Resident, make_room

LOADS_AT_ONCE = 2
"""A large model that takes half a minute must not hold up a small one; each more would slow down those that run."""
OVERTAKEN_FOR_S = 2.0
"""A load that has waited for room so long is overtaken no more, or small ones would take the room for ever."""


@dataclass(frozen=True, slots=True)
class WaitingLoad:
    path: str
    needed_bytes: int
    to_measure: bool = False
    """What it takes is not known yet: it is loaded by itself, so that the figure is its own."""
    nested: bool = False
    """Its caller has another session in use, which somebody may wait for: it may always overtake."""
    blocked_s: float = 0.0
    """How long it has waited for room."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Who begins, if anyone, and what leaves for it; `blocked` wait for room, the others for a load to end."""

    path: str | None = None
    evict: tuple[str, ...] = ()
    blocked: frozenset[str] = frozenset()


def next_load(
    waiting: Sequence[WaitingLoad],
    residents: Iterable[Resident],
    *,
    loading: Sequence[WaitingLoad],
    budget_bytes: int,
) -> Turn:
    """First come, first served among those for which there is room; `residents` include what is being loaded."""
    if len(loading) >= LOADS_AT_ONCE or any(load.to_measure for load in loading):
        return Turn()
    held = list(residents)
    blocked: set[str] = set()
    closed = False
    for load in waiting:
        if closed and not load.nested:
            blocked.add(load.path)
            continue
        if load.to_measure and loading:
            return Turn(blocked=frozenset(blocked))
        room = make_room(held, needed_bytes=load.needed_bytes, budget_bytes=budget_bytes)
        if room.enough:
            return Turn(load.path, room.evict, frozenset(blocked))
        blocked.add(load.path)
        closed = closed or load.blocked_s > OVERTAKEN_FOR_S
    return Turn(blocked=frozenset(blocked))
