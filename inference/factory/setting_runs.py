"""Runs a file with several numbers of threads and several sizes of batches, and measures each."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from inference.core.calls import Call
from inference.factory.performance import load_of
from inference.factory.samples import Feeds, Sample, rows_are_free
from inference.factory.sessions import Session, opened, run_for
from inference.factory.settings import Measured, Setting, settings_to_try

OpenWith = Callable[[int, Path], Session]
"""A function that opens a file for runs with a number of threads."""
BUDGET_S = 0.4
"""Seconds for each setting. At least `MIN_RUNS` runs are made."""
MIN_RUNS, MAX_RUNS, WARM_UPS = 5, 200, 2


def measure_settings(
    path: Path, samples: Sequence[Sample], *, open_with: OpenWith, cores: int, call: Call
) -> list[Measured]:
    """Return the throughput and the latency of each setting. Rows share a run only where the model's rows are free."""
    found: list[Measured] = []
    for threads in sorted({setting.threads for setting in settings_to_try(cores, may_batch=False)}):
        with opened(path, partial(open_with, threads)) as session:
            free = rows_are_free(session.inputs)
            rows = load_of(samples, free).company[0]
            for setting in settings_to_try(threads, may_batch=free):
                if setting.threads == threads:
                    feeds = {name: value[: setting.batch] for name, value in rows.items()} if free else rows
                    found.append(_measured(session, setting, feeds, call))
    return found


def _measured(session: Session, setting: Setting, feeds: Feeds, call: Call) -> Measured:
    for _ in range(WARM_UPS):
        run_for(call, session, feeds)
    lasted_s: list[float] = []
    ends_s = time.perf_counter() + BUDGET_S
    while len(lasted_s) < MAX_RUNS and (len(lasted_s) < MIN_RUNS or time.perf_counter() < ends_s):
        started_s = time.perf_counter()
        run_for(call, session, feeds)
        lasted_s.append(time.perf_counter() - started_s)
    median_s, p99_s = np.quantile(lasted_s, [0.5, 0.99])
    return Measured(setting, setting.batch / float(median_s), 1000 * float(p99_s))
