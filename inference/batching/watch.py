"""The reports of a batcher to code that counts: metrics, heartbeats and the admin's charts."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol


@dataclass(frozen=True, slots=True)
class BatchRun:
    """A run of a whole batch, or of a part of a batch that failed before."""

    rows: int
    padded: int
    """The number of rows times the padded length."""
    useful: int
    """The same without the padding."""
    waits_s: Sequence[float]
    """The seconds from each piece's arrival to this run's start. Empty if a batch is tried again in parts."""
    run_s: float
    failed: bool = False


class BatchWatch(Protocol):
    """A watch that any thread calls, never under the batcher's lock. It must not wait and must not raise."""

    def ran(self, run: BatchRun) -> None: ...

    def overloaded(self, rows: int) -> None: ...

    def canceled(self, pieces: int) -> None:
        """Count pieces that were canceled before they ran."""

    def expired(self, pieces: int) -> None:
        """Count pieces whose deadline passed, or was sure to pass, before they ran."""


@dataclass(slots=True)
class BatchFigures:
    """The sums since the model was loaded."""

    batches: int = 0
    """The number of runs. Runs of a failing batch's parts count here and in all sums except `pieces` and `wait_s`."""
    pieces: int = 0
    rows: int = 0
    padded: int = 0
    useful: int = 0
    wait_s: float = 0.0
    run_s: float = 0.0
    failed_batches: int = 0
    overloaded_rows: int = 0
    canceled_pieces: int = 0
    expired_pieces: int = 0


class BatchTally:
    """A watch that only counts."""

    def __init__(self) -> None:
        self._figures = BatchFigures()
        self._lock = threading.Lock()

    @property
    def figures(self) -> BatchFigures:
        """Return a copy of the sums."""
        with self._lock:
            return replace(self._figures)

    def ran(self, run: BatchRun) -> None:
        with self._lock:
            sums = self._figures
            sums.batches += 1
            sums.pieces += len(run.waits_s)
            sums.rows += run.rows
            sums.padded += run.padded
            sums.useful += run.useful
            sums.wait_s += sum(run.waits_s)
            sums.run_s += run.run_s
            sums.failed_batches += run.failed

    def overloaded(self, rows: int) -> None:
        with self._lock:
            self._figures.overloaded_rows += rows

    def canceled(self, pieces: int) -> None:
        with self._lock:
            self._figures.canceled_pieces += pieces

    def expired(self, pieces: int) -> None:
        with self._lock:
            self._figures.expired_pieces += pieces
