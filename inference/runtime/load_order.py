"""The choice of the waiting load that begins next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.runtime.residency import Resident, make_room

LOADS_AT_ONCE = 2
"""The number of loads at the same time. A large model that takes half a minute must not hold up a small one, and every
further load would slow down the models that run.
"""
OVERTAKEN_FOR_S = 2.0
"""Seconds after which a load that waits for capacity is no longer overtaken. Otherwise, small loads would take the
capacity forever.
"""


@dataclass(frozen=True, slots=True)
class WaitingLoad:
    path: str
    needed_bytes: int
    to_measure: bool = False
    """Set if the size is not known yet. The file is then loaded by itself, so that the measurement covers
    nothing else.
    """
    nested: bool = False
    """Set if its caller has another session in use, which others may wait for. Such a load may always overtake."""
    blocked_s: float = 0.0
    """The seconds for which it has waited for capacity."""


@dataclass(frozen=True, slots=True)
class LoadTurn:
    """The load that begins, if any, and the sessions that leave for it. The `blocked` loads wait for capacity, and the
    others wait for a load to end.
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
    """Choose the next load, first come, first served, among those for which there is capacity. `residents` include the
    sessions that are being loaded.
    """
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
