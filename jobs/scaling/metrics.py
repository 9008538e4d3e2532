"""The metrics of pools, on the port of the leading scheduler."""

from prometheus_client import Gauge

from inference.scaling.signal import PoolSignal
from inference.scaling.steering import Decision

WORK = Gauge("maas_pool_work_seconds", "Seconds of work that wait for a pool.", ["pool", "kind", "priority"])
RUNNING = Gauge("maas_pool_running_seconds", "Seconds of work that the workers of a pool still have to do.", ["pool"])
OLDEST = Gauge("maas_pool_oldest_wait_seconds", "The longest wait for a pool.", ["pool", "kind"])
REPLICAS = Gauge(
    "maas_pool_replicas", "Workers of a pool: ready, due (ordered and not ready), needed or wanted.", ["pool", "state"]
)
LOAD = Gauge("maas_pool_load_seconds", "Longest load of a model of the pool that has work.", ["pool"])
MODEL_WORK = Gauge("maas_model_work_seconds", "Seconds of work that wait for a model version.", ["model"])
_told: dict[str, tuple[set[tuple[str, str]], set[str]]] = {}
"""The kinds with priorities and the models that had work, by pool, so that they return to 0 without it."""


def tell_metrics(signal: PoolSignal, wanted: int, decision: Decision, due: int) -> None:
    parts, models = _told.setdefault(signal.pool, (set(), set()))
    work = {(part.kind, part.priority): part.work_s for part in signal.parts}
    parts |= work.keys()
    for kind, priority in parts:
        WORK.labels(pool=signal.pool, kind=kind, priority=priority).set(work.get((kind, priority), 0.0))
        waits = [part.oldest_wait_s for part in signal.parts if part.kind == kind]
        OLDEST.labels(pool=signal.pool, kind=kind).set(max(waits, default=0.0))
    by_model = {model.key: model.work_s for model in signal.models}
    models |= by_model.keys()
    for key in models:
        MODEL_WORK.labels(model=key).set(by_model.get(key, 0.0))
    RUNNING.labels(pool=signal.pool).set(signal.running_work_s)
    LOAD.labels(pool=signal.pool).set(signal.load_s)
    states = {"ready": signal.ready, "due": due, "needed": decision.wanted.needed, "wanted": wanted}
    for state, count in states.items():
        REPLICAS.labels(pool=signal.pool, state=state).set(count)
