"""The relative cost of each tenant's pages of a model, compared with all of its pages, as this worker has seen them."""

import threading
from collections import OrderedDict
from collections.abc import Mapping

WEIGHT = 0.2
"""The weight of the latest page in an average, so that about ten pages count."""
MAX_KEPT = 10_000
MAX_TOLD = 200
"""The most entries in a heartbeat, for all models together. Those furthest from the usual cost are chosen."""
USUAL = 1.25
"""The factor within which a tenant counts as average and is not reported, because pages differ that much anyway."""
MOST = 50.0
"""The bound of a relative cost. A page is charged as at most this many usual pages, and at least 1 / MOST of one."""


class RelativeCosts:
    """The mean seconds that a page occupied its slot, without the load of its model and the wait for its batch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of_tenant: OrderedDict[tuple[str, str], float] = OrderedDict()
        """The mean seconds by model and tenant. The entry that was seen last comes last."""
        self._of_all: dict[str, float] = {}

    def add(self, key: str, tenant: str, seconds: float, times: float = 1.0) -> None:
        """Charge the tenant for `times` as many seconds. The usual cost is computed from the seconds alone."""
        with self._lock:
            usual_s = self._of_all.get(key, seconds)
            self._of_all[key] = usual_s + WEIGHT * (seconds - usual_s)
            of = (key, tenant)
            charged_s = seconds * times
            mean_s = self._of_tenant.get(of, charged_s)
            self._of_tenant[of] = mean_s + WEIGHT * (charged_s - mean_s)
            self._of_tenant.move_to_end(of)
            if len(self._of_tenant) > MAX_KEPT:
                self._of_tenant.popitem(last=False)

    def report(self) -> dict[str, dict[str, float]]:
        """Return the relative costs by model and tenant, where 1 is a usual page. A missing tenant has 1."""
        with self._lock:
            hefts = {of: _heft(mean_s, self._of_all[of[0]]) for of, mean_s in self._of_tenant.items()}
        unusual = {of: heft for of, heft in hefts.items() if not 1 / USUAL <= heft <= USUAL}
        unusual_costs: dict[str, dict[str, float]] = {}
        for key, tenant in sorted(unusual, key=lambda of: _distance(unusual[of]), reverse=True)[:MAX_TOLD]:
            unusual_costs.setdefault(key, {})[tenant] = unusual[key, tenant]
        return unusual_costs


def together(hefts: list[Mapping[str, float]]) -> dict[str, float]:
    """Combine the relative costs of a model from several workers: the mean of those that name the tenant."""
    tenants = {tenant for costs in hefts for tenant in costs}
    by_tenant = {tenant: [costs[tenant] for costs in hefts if tenant in costs] for tenant in tenants}
    return {tenant: sum(some) / len(some) for tenant, some in by_tenant.items()}


def _heft(mean_s: float, usual_s: float) -> float:
    if usual_s <= 0:
        return 1.0
    return round(min(MOST, max(1 / MOST, mean_s / usual_s)), 3)


def _distance(heft: float) -> float:
    return max(heft, 1 / heft)
