"""What waits for which model, out of every place where work may wait."""

from collections.abc import Callable, Collection, Iterable, Mapping

from inference.workers.placement.fleet import NO_DEMAND, Demand

DemandSource = Callable[[Collection[str]], Mapping[str, Demand]]
"""Waiting work by model key, of the models known so far and of others it knows itself; may raise while it is away."""


def together(sources: Iterable[Mapping[str, Demand]]) -> dict[str, Demand]:
    total: dict[str, Demand] = {}
    for source in sources:
        for key, demand in source.items():
            before = total.get(key, NO_DEMAND)
            total[key] = Demand(before.waiting + demand.waiting, max(before.oldest_s, demand.oldest_s))
    return total
