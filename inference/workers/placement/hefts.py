"""How heavy each tenant's pages of a model are beside all of its pages, as this worker has seen them."""

import threading
from collections import OrderedDict
from collections.abc import Mapping

WEIGHT = 0.2
"""Of the latest page in an average, so that some ten pages count."""
MOST_KEPT = 10_000
MOST_TOLD = 200
"""In each beat, for all models together: those that are furthest from usual."""
USUAL = 1.25
"""Whoever is nearer to the average than this is not told of: that is what differs from page to page."""
MOST = 50.0
"""However one page came out, nobody is charged for more of the usual ones, nor for less than so little of one."""


class Hefts:
    """Seconds that a page occupied its slot: read and run, without the load of its model and the wait for its batch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of_tenant: OrderedDict[tuple[str, str], float] = OrderedDict()
        """By model and tenant, last seen last."""
        self._of_all: dict[str, float] = {}

    def add(self, key: str, tenant: str, seconds: float, times: float = 1.0) -> None:
        """Charge the tenant for `times` as many seconds; what is usual is told by the seconds alone."""
        with self._lock:
            usual_s = self._of_all.get(key, seconds)
            self._of_all[key] = usual_s + WEIGHT * (seconds - usual_s)
            of = (key, tenant)
            charged_s = seconds * times
            mean_s = self._of_tenant.get(of, charged_s)
            self._of_tenant[of] = mean_s + WEIGHT * (charged_s - mean_s)
            self._of_tenant.move_to_end(of)
            if len(self._of_tenant) > MOST_KEPT:
                self._of_tenant.popitem(last=False)

    def told(self) -> dict[str, dict[str, float]]:
        """By model and tenant: how many usual pages one of theirs is; of who is missing, one."""
        with self._lock:
            hefts = {of: _heft(mean_s, self._of_all[of[0]]) for of, mean_s in self._of_tenant.items()}
        unusual = {of: heft for of, heft in hefts.items() if not 1 / USUAL <= heft <= USUAL}
        told: dict[str, dict[str, float]] = {}
        for key, tenant in sorted(unusual, key=lambda of: _distance(unusual[of]), reverse=True)[:MOST_TOLD]:
            told.setdefault(key, {})[tenant] = unusual[key, tenant]
        return told


def together(hefts: list[Mapping[str, float]]) -> dict[str, float]:
    """Of several workers that have run pages of one model: the mean of those that tell of a tenant."""
    tenants = {tenant for one in hefts for tenant in one}
    told = {tenant: [one[tenant] for one in hefts if tenant in one] for tenant in tenants}
    return {tenant: sum(some) / len(some) for tenant, some in told.items()}


def _heft(mean_s: float, usual_s: float) -> float:
    if usual_s <= 0:
        return 1.0
    return round(min(MOST, max(1 / MOST, mean_s / usual_s)), 3)


def _distance(heft: float) -> float:
    return max(heft, 1 / heft)
