"""Counts the figures of this worker's models, and reports them to the admin every two seconds and to Prometheus."""

import time
from collections.abc import Callable, Mapping

import redis
import structlog
from prometheus_client import Counter, Histogram

from inference.engine.engine import Engine, loads_of
from inference.runtime.batched import PartFigures
from inference.runtime.metrics import LoadMeter, ModelLoads
from inference.workers.figures import NOTHING, ModelSums, PartNow, WorkerFigures, tell
from inference.workers.placement.metrics import DECISIONS
from jobs.worker.metrics import PAGE_WAIT_SECONDS

log = structlog.get_logger(__name__)
TELL_EVERY_S = 2.0


class WorkerNews:
    """Reports the figures of a worker. Figures that could not be reported are part of the next report."""

    def __init__(
        self,
        engine: Engine,
        worker: str,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._engine, self._worker = engine, worker
        self._clock, self._wall = clock, wall
        self._meter = LoadMeter()
        self._told: Mapping[str, ModelSums] = {}
        self._next_s = float("-inf")

    def look(self) -> None:
        if self._clock() < self._next_s:
            return
        self._next_s = self._clock() + TELL_EVERY_S
        loads = loads_of(self._engine)
        self._meter.count(loads)
        figures = WorkerFigures((*_of_versions(loads), *map(_of_file, self._engine.batchers.figures())), _reasons())
        sums = {part.name: part.sums for part in figures.parts}
        grown = {name: total.since(self._told.get(name, NOTHING)) for name, total in sums.items()}
        try:
            tell(self._worker, figures, {name: more for name, more in grown.items() if more}, self._wall())
        except redis.RedisError as error:
            log.warning("worker_statistics_not_sent", error=str(error))
            return
        self._told = sums


def _of_versions(loads: Mapping[str, ModelLoads]) -> list[PartNow]:
    pages = _by_labels(PAGE_WAIT_SECONDS, "_count")
    waits_s = _by_labels(PAGE_WAIT_SECONDS, "_sum")
    parts = []
    for key in sorted({*loads, *(key for (key,) in pages)}):
        of_key = loads.get(key, ModelLoads())
        sums = ModelSums(
            pages=pages.get((key,), 0),
            page_wait_s=waits_s.get((key,), 0),
            loads=of_key.loads,
            load_s=of_key.load_s,
            failed_loads=of_key.failures,
            evictions=of_key.evictions,
        )
        parts.append(PartNow(key, "", sums, held_bytes=of_key.held_bytes))
    return parts


def _of_file(figures: PartFigures) -> PartNow:
    ran = figures.batches
    sums = ModelSums(
        batches=ran.batches,
        pieces=ran.pieces,
        rows=ran.rows,
        padded=ran.padded,
        useful=ran.useful,
        batch_wait_s=ran.wait_s,
        run_s=ran.run_s,
        failed_batches=ran.failed_batches,
        dropped=ran.overloaded_rows + ran.canceled_pieces + ran.expired_pieces,
    )
    return PartNow(figures.part.key, figures.part.role, sums, waiting_rows=figures.waiting_rows)


def _reasons() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (model, reason), count in _by_labels(DECISIONS, "_total").items():
        found.setdefault(model, {})[reason] = int(count)
    return found


def _by_labels(metric: Counter | Histogram, ending: str) -> dict[tuple[str, ...], float]:
    return {
        tuple(sample.labels.values()): sample.value
        for family in metric.collect()
        for sample in family.samples
        if sample.name.endswith(ending)
    }
