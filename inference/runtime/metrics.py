"""Metrics of the batches and sessions of an engine. Labels never name a tenant."""

from collections.abc import Mapping
from dataclasses import dataclass

from prometheus_client import Counter, Gauge, Histogram

from inference.batching.watch import BatchRun, BatchTally


@dataclass(frozen=True, slots=True)
class ModelLoads:
    """The counts of all its files since this process began. A file that versions share counts for each version."""

    loads: int = 0
    load_s: float = 0.0
    """The seconds of all loads, including warm-up."""
    failures: int = 0
    evictions: int = 0
    held_bytes: int = 0
    """The memory that is reserved now: what the loads took, and the most that runs needed."""


BATCH_ROWS = Histogram(
    "maas_batch_rows",
    "Rows in one run of a model.",
    ["model", "part"],
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
BATCH_COST = Histogram(
    "maas_batch_cost",
    "Rows of one run times their padded length: tokens, pixels, or rows.",
    ["model", "part"],
    buckets=(1, 8, 64, 512, 4096, 32_768, 262_144, 2_097_152, 16_777_216),
)
PADDED = Counter("maas_batch_padded_total", "Cost of all runs, padding included.", ["model", "part"])
USEFUL = Counter("maas_batch_useful_total", "Cost of all runs, without the padding.", ["model", "part"])
WAIT_SECONDS = Histogram(
    "maas_batch_wait_seconds",
    "From a row's arrival in the engine to the start of its run.",
    ["model", "part"],
    buckets=(0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
RUN_SECONDS = Histogram(
    "maas_batch_run_seconds",
    "Time of one run of a model.",
    ["model", "part"],
    buckets=(0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
FAILED_RUNS = Counter(
    "maas_batch_failed_total",
    "Runs that failed. A run with several inputs is retried in parts.",
    ["model", "part"],
)
DROPPED = Counter(
    "maas_batch_dropped_total",
    "Inputs that were not run: `overloaded`, `canceled` or `expired`.",
    ["model", "part", "reason"],
)
LOADS = Counter("maas_model_loads_total", "Files of a model that were loaded.", ["model"])
LOAD_SECONDS = Counter("maas_model_load_seconds_total", "Time of all loads of a model, warm-up included.", ["model"])
FAILED_LOADS = Counter("maas_model_load_failures_total", "Loads of files of a model that failed.", ["model"])
EVICTIONS = Counter("maas_model_evictions_total", "Files that were unloaded from memory.", ["model"])
HELD_BYTES = Gauge("maas_model_reserved_bytes", "Memory reserved for a model, including for its runs.", ["model"])


class LoadMeter:
    """A meter that updates Prometheus to the counts of the session host."""

    def __init__(self) -> None:
        self._counted: Mapping[str, ModelLoads] = {}

    def count(self, loads: Mapping[str, ModelLoads]) -> None:
        for key, now in loads.items():
            before = self._counted.get(key, ModelLoads())
            LOADS.labels(key).inc(now.loads - before.loads)
            LOAD_SECONDS.labels(key).inc(max(0.0, now.load_s - before.load_s))
            FAILED_LOADS.labels(key).inc(now.failures - before.failures)
            EVICTIONS.labels(key).inc(now.evictions - before.evictions)
            HELD_BYTES.labels(key).set(now.held_bytes)
        self._counted = loads


class MeteredBatches(BatchTally):
    """A watch that counts the runs of a batcher for Prometheus and keeps their sums for heartbeats."""

    def __init__(self, model: str, part: str) -> None:
        super().__init__()
        self._rows = BATCH_ROWS.labels(model, part)
        self._cost = BATCH_COST.labels(model, part)
        self._padded = PADDED.labels(model, part)
        self._useful = USEFUL.labels(model, part)
        self._wait = WAIT_SECONDS.labels(model, part)
        self._run = RUN_SECONDS.labels(model, part)
        self._failed = FAILED_RUNS.labels(model, part)
        self._dropped = {
            reason: DROPPED.labels(model, part, reason) for reason in ("overloaded", "canceled", "expired")
        }

    def ran(self, run: BatchRun) -> None:
        super().ran(run)
        self._rows.observe(run.rows)
        self._cost.observe(run.padded)
        self._padded.inc(run.padded)
        self._useful.inc(run.useful)
        self._run.observe(run.run_s)
        if run.failed:
            self._failed.inc()
        for wait_s in run.waits_s:
            self._wait.observe(wait_s)

    def overloaded(self, rows: int) -> None:
        super().overloaded(rows)
        self._dropped["overloaded"].inc(rows)

    def canceled(self, pieces: int) -> None:
        super().canceled(pieces)
        self._dropped["canceled"].inc(pieces)

    def expired(self, pieces: int) -> None:
        super().expired(pieces)
        self._dropped["expired"].inc(pieces)
