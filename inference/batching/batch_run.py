"""Run a batch. If it fails, run its parts, until only the pieces fail that also fail alone."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inference.batching.batch_size import BatchSize
from inference.batching.cost_fit import CostFit
from inference.batching.waiting import QueuedPiece
from inference.batching.watch import BatchRun, BatchWatch
from inference.core.calls import Call, RunControl
from inference.core.contracts import WorkRefused
from inference.core.device_time import run_us, shared_out
from inference.core.errors import ModelFailed

Ended = Callable[[Sequence[Call]], None]
"""A function that is told of the calls that ended together: those of a batch at once. It must not wait."""


class Outcome:
    """The answers of a call, for which its thread sleeps on one lock, lighter than futures. Only the batcher's threads
    give them, under its lock, once for each piece. Any thread may fail a call that has not been answered.
    """

    def __init__(self, call: Call, count: int, came_s: float, ended: Ended | None = None) -> None:
        """Create the outcome. The thread that ends it calls `ended` once instead of waking one."""
        self.call = call
        self.came_s = came_s
        self.entries: Sequence[Entry] = ()
        self.answers: list[Any] = [None] * count
        self.error: BaseException | None = None
        self.ran_s = 0.0
        """The time in seconds of the runs that contributed to it."""
        self.device_us = 0
        """The sum of its pieces' shares of the device time of these runs."""
        self.ended = ended
        self._left = count
        self._asleep = threading.Lock()
        self._asleep.acquire()

    def wait(self, timeout_s: float | None) -> bool:
        """Wait for the end. Return False if it takes longer than `timeout_s`."""
        if timeout_s is None:
            return self._asleep.acquire()
        return self._asleep.acquire(timeout=min(max(timeout_s, 0.0), threading.TIMEOUT_MAX))

    def wake(self) -> None:
        wake([self])

    def give(self, index: int, answer: Any) -> None:
        self.answers[index] = answer
        self._left -= 1

    def fail(self, error: BaseException) -> None:
        if self.error is None and not self.complete:
            self.error = error

    def woken(self) -> bool:
        """Wake the thread that waits. Return False if it was woken before."""
        try:
            self._asleep.release()
        except RuntimeError:
            return False
        return True

    @property
    def complete(self) -> bool:
        return self._left == 0


def wake(outcomes: Iterable[Outcome]) -> None:
    """Wake all who wait for these outcomes, each once. Those who do not wait are told together."""
    together: dict[Ended, list[Call]] = {}
    for outcome in outcomes:
        if outcome.woken() and outcome.ended is not None:
            together.setdefault(outcome.ended, []).append(outcome.call)
    for ended, calls in together.items():
        ended(calls)


CUT_FOR_S = 60.0
"""Seconds for which a failing batch may be cut while others wait. Two runs that took too long fit into it."""


@dataclass(slots=True, eq=False, kw_only=True)
class Entry(QueuedPiece):
    """A piece with the data that leads its answer back to its caller."""

    payload: Any
    outcome: Outcome
    index: int
    left: bool = False
    """Set if its caller has left."""
    run: "Running | None" = None


@dataclass(slots=True, eq=False)
class Running:
    control: RunControl
    standing: int
    """The number of pieces whose callers still wait. At zero, the run is ended."""


@dataclass(slots=True)
class Settled:
    entries: Sequence[Entry]
    answers: Sequence[Any] | None
    error: WorkRefused | ModelFailed | None = None
    may_be_one: bool = False
    """Set if one piece may have caused the error. The process or the device causes a retryable error."""
    run_s: float = 0.0
    device_us: Sequence[int] = ()
    """The device time of each answered piece: its share of the run, without the runs that failed before."""


@dataclass(slots=True)
class Cuts:
    """The result of a batch and what it says about the size of the next batches."""

    until_s: float = float("inf")
    failed: bool = False
    largest_rows: int = 0

    @property
    def begun(self) -> bool:
        return self.until_s < float("inf")

    def note(self, settled: Settled) -> None:
        self.failed |= settled.error is not None
        if settled.error is None:
            self.largest_rows = max(self.largest_rows, sum(entry.rows for entry in settled.entries))


class BatchRunner:
    """A runner. Any thread may call `leave` while it holds the lock. If several threads run batches at the same time,
    the fit may miss a run.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[Sequence[Any], int, RunControl], Sequence[Any]],
        *,
        fit: CostFit,
        clock: Callable[[], float],
        watch: BatchWatch,
        lock: threading.Lock,
    ) -> None:
        self.fit = fit
        self.size = BatchSize()
        self._name = name
        self._run = run
        self._clock = clock
        self._watch = watch
        self._lock = lock

    def run(self, batch: Sequence[Entry], *, has_company: bool = False) -> Iterator[Settled]:
        """Run the batch. A failing batch is halved, so there are at most twice as many runs as pieces. `has_company`
        says that other batches run or wait.
        """
        parts = [list(batch)]
        cuts = Cuts()
        while parts:
            part = self._begin(parts.pop(), has_company=has_company)
            if not part:
                continue
            settled = self._try(part, again=cuts.begun)
            if settled.may_be_one and len(part) > 1 and self._clock() < cuts.until_s:
                cuts.until_s = min(cuts.until_s, self._clock() + CUT_FOR_S)
                middle = len(part) // 2
                parts += [part[middle:], part[:middle]]
                continue
            cuts.note(settled)
            yield settled
        if not cuts.begun:
            self.size.ran(cuts.largest_rows)
        elif not cuts.failed and cuts.largest_rows:
            self.size.failed_whole(cuts.largest_rows)

    @staticmethod
    def leave(entry: Entry) -> RunControl | None:
        """Return the control of the run if no caller waits for it any more. End it without holding the lock."""
        entry.left = True
        if entry.run is None:
            return None
        entry.run.standing -= 1
        return None if entry.run.standing else entry.run.control

    def _begin(self, part: list[Entry], *, has_company: bool) -> list[Entry]:
        with self._lock:
            wanted = [entry for entry in part if not entry.left]
            running = Running(RunControl(has_company=has_company, pieces=len(wanted)), len(wanted))
            for entry in wanted:
                entry.run = running
        return wanted

    def _try(self, part: list[Entry], *, again: bool) -> Settled:
        assert part[0].run is not None
        control = part[0].run.control
        length = max(entry.length for entry in part)
        started_s = self._clock()
        settled = self._answers(part, length, control)
        run_s = self._clock() - started_s
        with self._lock:
            for entry in part:
                entry.run = None
        rows, sizes = sum(entry.rows for entry in part), [entry.rows * entry.length for entry in part]
        if settled.error is None and not control.ended:
            self.fit = self.fit.after(rows, rows * length, run_s)
        self._watch.ran(
            BatchRun(
                rows=rows,
                padded=rows * length,
                useful=sum(sizes),
                waits_s=() if again else [started_s - entry.queued_s for entry in part],
                run_s=run_s,
                failed=settled.error is not None and not control.ended,
            )
        )
        whole_us = run_us(control.device_s, len(part))
        settled.run_s, settled.device_us = run_s, shared_out(whole_us, sizes)
        return settled

    def _answers(self, part: list[Entry], length: int, control: RunControl) -> Settled:
        try:
            answers = self._run([entry.payload for entry in part], length, control)
            if len(answers) != len(part):
                raise ModelFailed(
                    "model_output_invalid",
                    f"{self._name} gave {len(answers)} answers to {len(part)} inputs; it must give one to each",
                )
        except (WorkRefused, ModelFailed) as error:
            may_be_one = isinstance(error, WorkRefused) or not error.retryable
            return Settled(part, None, error, may_be_one)
        except MemoryError:
            # Half of the batch may fit into memory.
            return Settled(part, None, self._failed("memory did not suffice", retryable=True), may_be_one=True)
        except BaseException as error:  # A model may raise anything, and this thread must go on.
            return Settled(part, None, self._failed(f"{type(error).__name__}: {error}", cause=error), may_be_one=True)
        return Settled(part, answers)

    def _failed(self, detail: str, *, retryable: bool = False, cause: BaseException | None = None) -> ModelFailed:
        failed = ModelFailed("model_run_failed", f"{self._name}: {detail}", retryable=retryable)
        failed.__cause__ = cause
        return failed
