"""The order in which a cluster gives up workers: the one with the least work left goes first."""

from collections.abc import Iterable
from math import ceil

from inference.scaling.signal import Costs, WorkerNow

DRAINING = -100
MAX_COST = 1000


def deletion_costs(workers: Iterable[WorkerNow], costs: Costs) -> dict[str, int]:
    """Return the cost of giving up each worker, by name: the seconds of work that it has begun, rounded up.

    One that drains takes no new work, so it goes first. With whole seconds, little is written to the cluster.
    """
    return {worker.name: _cost(worker, costs) for worker in workers}


def _cost(worker: WorkerNow, costs: Costs) -> int:
    if not worker.ready and not worker.starting:
        return DRAINING
    work_s = sum(count * costs.of(key) for key, count in worker.running.items())
    return min(MAX_COST, ceil(work_s))
