"""The waiting work of each model, from all sources of waiting work."""

from collections.abc import Callable, Collection, Iterable, Mapping

from inference.workers.placement.fleet import NO_DEMAND, Demand

DemandSource = Callable[[Collection[str]], Mapping[str, Demand]]
"""A function that returns the waiting work by model key.

It gets the models known so far and may also return others that it knows itself. It may raise while its source is
unavailable.
"""


def together(sources: Iterable[Mapping[str, Demand]]) -> dict[str, Demand]:
    total: dict[str, Demand] = {}
    for source in sources:
        for key, demand in source.items():
            before = total.get(key, NO_DEMAND)
            total[key] = Demand(before.waiting + demand.waiting, max(before.oldest_s, demand.oldest_s))
    return total
