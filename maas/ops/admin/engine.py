"""The current state of the engine, gathered from workers' figures, with one row for each model version."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import redis
import structlog

from inference.workers.figures import ModelSums, PartNow, Span, WorkerFigures, last_spans, summed, told_by
from inference.workers.heartbeats import WorkerReport, live_workers_with_long_timeout
from maas.ops.admin.queues import Queue, among, queues
from tenants.admin_base.formatting import size
from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
NONE = "–"
REASONS: Mapping[str, str] = {
    "random": "random choice",
    "no_redis": "Redis is away",
    "load_failed": "no worker can load it",
    "too_large": "no worker has the memory",
    "one_file_at_a_time": "loads one file at a time",
    "second_worker": "second worker for the load",
    "worker_lost": "its worker is gone",
    "spare_memory": "free memory",
    "only_candidate": "only possible worker",
    "memory_fit": "fewest models to unload",
    "load_cheapest": "cheapest to load",
    "least_loaded": "fewest pages in progress",
    "fastest": "fastest worker",
    "tie": "workers were equal",
}
"""The reasons for the choice of a worker, as people read them."""


@dataclass(frozen=True)
class EngineNow:
    """The current figures of the engine. `workers` is None if Redis does not respond, so that they are unknown."""

    queues: Sequence[Queue]
    workers: Sequence[WorkerReport] | None
    figures: Mapping[str, WorkerFigures]
    spans: Sequence[Span]


@dataclass(frozen=True)
class FileRow:
    """A file of a version, which has its own batches. The figures cover the minutes that the charts show."""

    role: str
    waiting_rows: int
    recent: ModelSums

    @property
    def rows_per_batch(self) -> str:
        return _figure(self.recent.rows_per_batch, "{:.1f}")

    @property
    def cost_per_batch(self) -> str:
        return _figure(self.recent.cost_per_batch, "{:,.0f}")

    @property
    def padding(self) -> str:
        return _figure(self.recent.padding_percent, "{:.0f} %")

    @property
    def batch_wait(self) -> str:
        return _ms(self.recent.batch_wait_ms)

    @property
    def run_time(self) -> str:
        return _ms(self.recent.run_ms)


@dataclass(frozen=True)
class EngineRow:
    key: str
    version_id: int | None
    """The ID of the version, or None if the version is retired and a worker still holds it."""
    waiting: str
    held_by: Sequence[str]
    loading_on: Sequence[str]
    held_bytes: int
    recent: ModelSums
    since_start: ModelSums
    files: Sequence[FileRow]
    reasons: Mapping[str, int]
    unserved_pool: str = ""
    """The pool of the model if pages are queued and no living worker belongs to that pool. Otherwise it is empty."""

    @property
    def set_aside(self) -> str:
        return size(self.held_bytes) if self.held_bytes else NONE

    @property
    def queue_wait(self) -> str:
        return _ms(self.recent.queue_wait_ms)

    @property
    def load_time(self) -> str:
        return _figure(self.since_start.seconds_per_load, "{:.2f} s")

    @property
    def loads(self) -> int:
        return round(self.since_start.loads)

    @property
    def failed_loads(self) -> int:
        return round(self.since_start.failed_loads)

    @property
    def evictions(self) -> int:
        return round(self.since_start.evictions)


def gather_engine() -> EngineNow:
    """Gather the figures with two database and three Redis reads, however many workers and models there are."""
    try:
        workers = live_workers_with_long_timeout()
        figures = told_by([worker.name for worker in workers])
        spans = last_spans(time.time())
    except redis.RedisError as error:
        log.warning("workers_not_read", error=str(error))
        with operator_work():
            return EngineNow(queues(), None, {}, [])
    with operator_work():
        waiting = queues(first=[model.key for worker in workers for model in worker.models])
    return EngineNow(among(workers, waiting) if workers else waiting, workers, figures, spans)


def engine_rows(now: EngineNow) -> list[EngineRow]:
    """Return by name the versions that workers hold, that pages are queued for, or that lately had requests."""
    served = {queue.key: queue for queue in now.queues}
    recent: dict[str, ModelSums] = {}
    for span in now.spans:
        for name, sums in span.parts.items():
            recent[name] = recent.get(name, ModelSums()) + sums
    parts: dict[str, list[PartNow]] = {}
    for figures in now.figures.values():
        for part in figures.parts:
            parts.setdefault(part.key, []).append(part)
    held = {model.key for worker in now.workers or () for model in worker.models}
    return [_row(now, key, served.get(key), parts.get(key, []), recent) for key in sorted({*served, *parts, *held})]


def _row(
    now: EngineNow,
    key: str,
    queue: Queue | None,
    parts: Sequence[PartNow],
    recent: Mapping[str, ModelSums],
) -> EngineRow:
    workers = now.workers or ()
    whole = [part for part in parts if not part.role]
    reasons: dict[str, int] = {}
    for figures in now.figures.values():
        for reason, count in figures.reasons.get(key, {}).items():
            text = REASONS.get(reason, reason)
            reasons[text] = reasons.get(text, 0) + count
    return EngineRow(
        key=key,
        version_id=queue.version_id if queue else None,
        waiting=queue.waiting_words if queue else "0",
        held_by=[worker.name for worker in workers if key in worker.resident],
        loading_on=[worker.name for worker in workers if key in worker.loading],
        held_bytes=sum(part.held_bytes for part in whole),
        recent=recent.get(f"{key}/", ModelSums()),
        since_start=summed(part.sums for part in whole),
        files=[
            FileRow(
                role,
                sum(part.waiting_rows for part in parts if part.role == role),
                recent.get(f"{key}/{role}", ModelSums()),
            )
            for role in sorted({part.role for part in parts} - {""})
        ],
        reasons=reasons,
        unserved_pool=queue.pool if queue and not queue.served else "",
    )


def _figure(value: float | None, form: str) -> str:
    return NONE if value is None else form.format(value)


def _ms(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.1f} ms" if value < 10 else f"{value / 1000:.1f} s" if value >= 10_000 else f"{value:.0f} ms"
