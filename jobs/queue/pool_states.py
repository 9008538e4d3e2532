"""Gathers the state of each pool for a version of a model, as the choice between pools needs it."""

import time
from collections.abc import Iterable, Mapping

from django.conf import settings

from inference.tiers.binding import PoolNow
from inference.tiers.routes import PoolFacts, queue_key
from inference.workers.placement.catalog import Measured, ModelCatalog
from inference.workers.placement.fleet import Model
from jobs.queue.fairness import UNKNOWN_COST_S
from jobs.queue.slots import fleet_of, living_workers, workers_of_pool

LOADS_KEPT_S = 60.0
_measured = Measured()
_catalog = ModelCatalog(_measured)
_models: dict[int, tuple[float, Model | None]] = {}
"""The versions with the time until which each is remembered. The number of versions bounds it."""


def pools_now(
    version_id: int, version_key: str, own: PoolFacts, pools: Iterable[PoolFacts], ahead: Mapping[str, int]
) -> dict[str, PoolNow]:
    """Return the state of each pool. `ahead` is the number of pieces of the version that each has already."""
    found = {facts.name: facts for facts in pools}
    service_s = {name: fleet_of(queue_key(version_key, name, own.name)).service_s for name in found}
    known_s = [seconds for seconds in service_s.values() if seconds > 0]
    usual_s = sum(known_s) / len(known_s) if known_s else UNKNOWN_COST_S
    model = _model(version_id) if len(found) > 1 else None
    return {
        name: _pool_now(
            facts, version_key, own.name, service_s=service_s[name] or usual_s, ahead=ahead.get(name, 0), model=model
        )
        for name, facts in found.items()
    }


def _pool_now(
    facts: PoolFacts, version_key: str, own: str, *, service_s: float, ahead: int, model: Model | None
) -> PoolNow:
    key = queue_key(version_key, facts.name, own)
    workers = workers_of_pool(facts.name, dedicated=facts.dedicated)
    having = [worker for worker in workers if version_key in worker.resident or key in worker.serving]
    slots = sum(worker.slots for worker in having) or max((worker.slots for worker in workers), default=0)
    file_bytes = sum(model.files.values()) if model is not None else 0
    return PoolNow(
        facts.name,
        workers=len(workers),
        slots=slots or settings.MAAS_WORKER_THREADS,
        loaded=bool(having),
        service_s=service_s,
        ahead=ahead,
        load_s=_measured.apply(model).load_s if model is not None else 0.0,
        move_s=file_bytes / (facts.link_mb_s * 1e6) if facts.link_mb_s else 0.0,
    )


def _model(version_id: int) -> Model | None:
    """Return the version with the sizes of its files, as looked up within the last minute."""
    _measured.learn(living_workers())
    now_s = time.monotonic()
    until_s, model = _models.get(version_id, (0.0, None))
    if now_s >= until_s:
        model = _catalog.version(version_id)
        _models[version_id] = now_s + LOADS_KEPT_S, model
    return model
