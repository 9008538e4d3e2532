"""The choice of the waiting load that begins next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.runtime.residency import Resident, make_room

LOADS_AT_ONCE = 2
"""The loads at the same time. A slow load must not hold up a small one, and more would slow down the runs."""
OVERTAKEN_FOR_S = 2.0
"""Seconds after which a load that waits for capacity is not overtaken, or small loads would take it forever."""


@dataclass(frozen=True, slots=True)
class WaitingLoad:
    path: str
    needed_bytes: int
    to_measure: bool = False
    """Set if the size is not known yet. The file is then loaded alone, so that nothing else is measured."""
    nested: bool = False
    """Set if its caller has another session in use, which others may wait for. Such a load may always overtake."""
    blocked_s: float = 0.0
    """The seconds for which it has waited for capacity."""


@dataclass(frozen=True, slots=True)
class LoadTurn:
    """The next model to load, if any, and the models to evict for it. `blocked` are the loads that wait for memory.
    The others wait for another load to finish.
    """

    path: str | None = None
    evict: tuple[str, ...] = ()
    blocked: frozenset[str] = frozenset()


def next_load(
    waiting: Sequence[WaitingLoad],
    residents: Iterable[Resident],
    *,
    loading: Sequence[WaitingLoad],
    budget_bytes: int,
) -> LoadTurn:
    """Choose the first waiting load for which there is capacity. `residents` include those being loaded."""
    if len(loading) >= LOADS_AT_ONCE or any(load.to_measure for load in loading):
        return LoadTurn()
    held = list(residents)
    blocked: set[str] = set()
    closed = False
    for load in waiting:
        if closed and not load.nested:
            blocked.add(load.path)
            continue
        if load.to_measure and loading:
            return LoadTurn(blocked=frozenset(blocked))
        room = make_room(held, needed_bytes=load.needed_bytes, budget_bytes=budget_bytes)
        if room.enough:
            return LoadTurn(load.path, room.evict, frozenset(blocked))
        blocked.add(load.path)
        closed = closed or load.blocked_s > OVERTAKEN_FOR_S
    return LoadTurn(blocked=frozenset(blocked))
