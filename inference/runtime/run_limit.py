"""Ends runs that take too long. A graph may loop for as long as its input says."""

import heapq
import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from inference.runtime.native import onnx_runtime


@dataclass(order=True)
class _Run:
    deadline_s: float
    number: int
    options: Any = field(compare=False)
    over: bool = field(default=False, compare=False)
    ended_by_us: bool = field(default=False, compare=False)


class RunTookTooLong(Exception):
    """The error for a run that was ended between two operators. A single operator cannot be interrupted."""


class RunLimit:
    """A time limit for runs, with a single thread for all runs of this process. A run costs two short locks and
    seldom notifies it.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None
        self._looks_s = float("inf")
        """The time at which the thread looks by itself. All limits are alike, so a new run seldom changes it."""

    @contextmanager
    def of(self, limit_s: float) -> Iterator[Any]:
        """Yield the options to run with. RunTookTooLong replaces the error that ending the run causes."""
        run = _Run(time.monotonic() + limit_s, next(self._numbers), _quiet_options())
        self._watch(run)
        try:
            yield run.options
        except Exception as error:
            if run.ended_by_us:
                raise RunTookTooLong(f"longer than {limit_s:g} s") from error
            raise
        finally:
            self._forget(run)

    def _watch(self, run: _Run) -> None:
        with self._changed:
            heapq.heappush(self._runs, run)
            if self._thread is None:
                self._thread = threading.Thread(target=self._end_late_runs, name="run-limit", daemon=True)
                self._thread.start()
            if run.deadline_s < self._looks_s:
                self._looks_s = run.deadline_s
                self._changed.notify()

    def _forget(self, run: _Run) -> None:
        with self._changed:
            run.over, run.options = True, None
            while self._runs and self._runs[0].over:
                heapq.heappop(self._runs)

    def _end_late_runs(self) -> None:
        while True:
            with self._changed:
                while self._runs and self._runs[0].over:
                    heapq.heappop(self._runs)
                self._looks_s = self._runs[0].deadline_s if self._runs else float("inf")
                left_s = self._looks_s - time.monotonic()
                if left_s > 0:
                    self._changed.wait(min(left_s, threading.TIMEOUT_MAX))
                    continue
                late = heapq.heappop(self._runs)
                late.ended_by_us = True
                late.options.terminate = True


def _quiet_options() -> Any:
    """Return options that log nothing. Errors are raised, and the console would show the model's own names."""
    options = onnx_runtime().RunOptions()
    options.log_severity_level = 4
    return options


run_limit = RunLimit()
