"""Decides to which of the pools that may serve it waiting work goes. Pure.

The home gets a piece of work unless it would begin it later than another pool does, by more than the loads and moves
that this pool would need for it. So work stays at home until it waits there, and a load elsewhere has to pay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inference.tiers.routes import Route

NOTICED_S = 0.05
"""The smallest difference in seconds for which work leaves an earlier pool."""


@dataclass(frozen=True, slots=True)
class PoolNow:
    """The state of a pool at this moment, for one version of a model."""

    name: str
    workers: int
    """The living workers that serve the pool."""
    slots: int
    """The slots of the workers that have the model, or else of the one that would load it."""
    loaded: bool
    service_s: float
    """The time of a piece of work in a slot."""
    ahead: float = 0.0
    """The pieces of work that are there already."""
    load_s: float = 0.0
    """The time to load the model from the worker's own disk."""
    move_s: float = 0.0
    """The time to fetch its files."""

    @property
    def opening_s(self) -> float:
        """Return the time until the model is there."""
        return 0.0 if self.loaded else self.load_s + self.move_s

    def begins_s(self, before: int = 0) -> float:
        """Return when the next piece begins, if so many are put before it."""
        return self.opening_s + (self.ahead + before) * self.service_s / max(1, self.slots)


def pool_for(pools: Sequence[PoolNow]) -> PoolNow:
    """Return the pool for one piece of work. The pools are in the order of the tier, the home first."""
    return pools[_best(pools, [0] * len(pools))]


def spread(pieces: int, pools: Sequence[PoolNow]) -> list[int]:
    """Return how many of so many pieces of work go to each pool, if the order stays as it is."""
    given = [0] * len(pools)
    for _ in range(pieces):
        given[_best(pools, given)] += 1
    return given


def spread_routes(pieces: Mapping[Route, int], pools: Mapping[str, PoolNow]) -> dict[Route, dict[str, int]]:
    """Return how many of so many pieces of each route go to each of its pools. Those of a route lie before the next."""
    now = dict(pools)
    given: dict[Route, dict[str, int]] = {}
    for route, count in pieces.items():
        given[route] = dict(zip(route, spread(count, [now[name] for name in route]), strict=True))
        now |= ahead_by(given[route], now)
    return given


def ahead_by(more: Mapping[str, int], pools: Mapping[str, PoolNow]) -> dict[str, PoolNow]:
    """Return the pools of `more` with so many more pieces of work each."""
    return {name: replace(pools[name], ahead=pools[name].ahead + count) for name, count in more.items()}


def _best(pools: Sequence[PoolNow], given: Sequence[int]) -> int:
    """Return the position of the pool for the next piece. Without living workers anywhere, work waits at home."""
    best: tuple[int, float] | None = None
    for position, pool in enumerate(pools):
        if pool.workers:
            # A load takes its worker's time, besides that of the work that waits for it. It is paid for once.
            extra_s = 0.0 if given[position] or pool.ahead else pool.opening_s
            cost_s = pool.begins_s(given[position]) + extra_s
            if best is None or cost_s < best[1] - NOTICED_S:
                best = position, cost_s
    return 0 if best is None else best[0]
