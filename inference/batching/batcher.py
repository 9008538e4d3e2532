"""The batches of a model: callers add pieces from any thread, and one or a few threads run them together and answer."""

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

import structlog

from inference.batching.batch_run import BatchRunner, Ended, Entry, Outcome, wake
from inference.batching.company import Company
from inference.batching.cost_fit import CostFit
from inference.batching.limits import BatchLimits
from inference.batching.policy import (
    MISSING_ROWS,
    Decision,
    Dispatch,
    Idle,
    PolicyConfig,
    Refuse,
    WaitUntil,
    decide,
    hold_s,
)
from inference.batching.waiting import QueuedPiece, WaitingPieces
from inference.batching.watch import BatchTally, BatchWatch
from inference.core.calls import Call, RunControl
from inference.core.contracts import WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded

log = structlog.get_logger(__name__)
IDLE_THREAD_S = 30.0
"""Seconds after which the thread of an unused model ends. Starting a thread takes a tenth of a millisecond."""

Payload = TypeVar("Payload")
Answer = TypeVar("Answer")
RunBatch = Callable[[Sequence[Payload], int, RunControl], Sequence[Answer]]
"""A function from payloads, the length of the longest and a handle that ends the run to one answer for each."""


@dataclass(frozen=True, slots=True)
class Piece(Generic[Payload]):
    """The unit that a caller adds to a batch."""

    payload: Payload
    length: int = 1
    """The length in tokens or pixels of width. A batch is padded to the longest. It is 1 if nothing is padded."""
    group: Hashable = None
    """The type, and the shape apart from the padded dimension. Only pieces of the same group may share a batch."""
    rows: int = 1
    """The number of rows that the piece takes in the batch."""

    def __post_init__(self) -> None:
        if self.length < 1 or self.rows < 1:
            raise ValueError(f"a piece has length {self.length} and {self.rows} rows; both are at least 1")


class Batcher(Generic[Payload, Answer]):
    """A batcher that is fair between tenants by cost. No caller gets data of other callers in its run."""

    def __init__(
        self,
        name: str,
        run: RunBatch[Payload, Answer],
        *,
        limits: BatchLimits | None = None,
        fit: CostFit | None = None,
        clock: Callable[[], float] = time.monotonic,
        watch: BatchWatch | None = None,
        at_once: int = 1,
    ) -> None:
        """Set up the batcher. `at_once` is the number of batches that run at the same time if enough pieces wait."""
        self.name = name
        self._at_once = at_once
        self._running = 0
        """The number of batches whose model runs."""
        self._idle = 0
        """The number of threads that sleep because nothing waits."""
        self._holding = 0
        """The number of threads that hold a batch back."""
        self.limits = limits or BatchLimits()
        """The limits. They may be replaced at any time from any thread, and the next batch follows the new limits."""
        self._clock = clock
        self._watch: BatchWatch = watch or BatchTally()
        self._waiting = WaitingPieces()
        self._company = Company()
        self._last_run_s: float | None = None
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._held_until_s = 0.0
        self._threads: set[threading.Thread] = set()
        self._closed = False
        self._runner = BatchRunner(name, run, fit=fit or CostFit(), clock=clock, watch=self._watch, lock=self._lock)

    @property
    def fit(self) -> CostFit:
        """Return the fit that was learned so far, which is saved with the model."""
        return self._runner.fit

    @property
    def waiting_rows(self) -> int:
        return self._waiting.rows

    def run(self, pieces: Sequence[Piece[Payload]], call: Call) -> list[Answer]:
        """Return the answers. It raises at once if the call is canceled or late or a piece fails, ModelOverloaded if
        the queue has no capacity for all pieces now, and WorkRefused if it never has.
        """
        if not pieces:
            call.check()
            return []
        (begun,) = self._begin([(pieces, call)], None)
        if not isinstance(begun, Outcome):
            raise begun
        forget = call.on_cancel(begun.wake)
        try:
            begun.wait(None if call.deadline_s is None else call.deadline_s - self._clock())
        finally:
            forget()
            self._leave_unanswered(begun)
        return self._answers(begun)

    def begin(self, asked: Sequence[tuple[Sequence[Piece[Payload]], Call]], ended: Ended) -> list[Outcome | Exception]:
        """Start the pieces of several callers that do not wait. Return for each its outcome, or the error that `run`
        would raise at once.

        `ended` is called for each outcome's call once, from any thread, perhaps before this returns. It is called for a
        passed deadline only if that is noticed here. A caller that leaves earlier cancels the call.
        """
        begun = self._begin(asked, ended)
        for outcome in begun:
            if isinstance(outcome, Outcome):
                outcome.call.on_cancel(outcome.wake)
        return begun

    def answers(self, begun: Outcome) -> list[Answer]:
        """Return or raise as `run` does, once. What has not ended yet is abandoned."""
        self._leave_unanswered(begun)
        return self._answers(begun)

    def close(self, *, wait: bool = True) -> None:
        """Refuse the pieces that wait, wait for those that run, and accept nothing afterwards."""
        with self._lock:
            self._closed = True
            threads = self._threads - {threading.current_thread()}
            waiting = self._take_out(list(self._waiting), run=False)
            self._changed.notify_all()
        _fail(waiting, self._unloaded())
        for thread in threads if wait else ():
            thread.join()

    def _leave_unanswered(self, begun: Outcome) -> None:
        if not begun.complete:
            late = DeadlinePassed(f"{self.name} had not answered when the deadline passed")
            self._leave(begun.entries, begun.error or (CallCanceled() if begun.call.canceled else late))
        begun.entries = ()  # They refer to their outcome, so only a garbage collection would free them.

    def _answers(self, begun: Outcome) -> list[Answer]:
        if begun.error is not None:
            raise begun.error
        # Runs of the pieces of a call may overlap.
        whole_s = max(0.0, self._clock() - begun.came_s)
        infer_s = min(begun.ran_s, whole_s)
        begun.call.spent.add(batch_s=whole_s - infer_s, infer_s=infer_s, device_us=begun.device_us)
        return begun.answers

    def _begin(
        self, asked: Sequence[tuple[Sequence[Piece[Payload]], Call]], ended: Ended | None
    ) -> list[Outcome | Exception]:
        """Put the pieces of all these callers in the queue, under one lock and with one wake of the thread."""
        now = self._clock()
        outcomes: list[Outcome] = []
        for pieces, call in asked:
            outcome = Outcome(call, len(pieces), now, ended)
            outcome.entries = [_entry(piece, index, outcome, now) for index, piece in enumerate(pieces)]
            outcomes.append(outcome)
        with self._lock:
            begun = [self._put(outcome, now) for outcome in outcomes]
            entries = [entry for one in begun if isinstance(one, Outcome) for entry in one.entries]
            if entries and self._worth_waking(entries):
                if self._holding:
                    self._changed.notify_all()
                else:
                    self._changed.notify()
            elif entries and self._running and not self._idle:
                self._start_another()
        for outcome, error in zip(outcomes, begun, strict=True):
            if isinstance(error, ModelOverloaded):
                self._watch.overloaded(sum(entry.rows for entry in outcome.entries))
        return begun

    def _put(self, outcome: Outcome, now: float) -> Outcome | Exception:
        """Put the caller's pieces in the queue, or return why not."""
        rows = sum(entry.rows for entry in outcome.entries)
        limits, waiting = self.limits, self._waiting.rows
        of_tenant = self._waiting.rows_of(outcome.call.tenant)
        try:
            outcome.call.check()
            if self._closed:
                raise self._unloaded()
            if rows > limits.max_waiting:
                raise WorkRefused(
                    "input_too_large",
                    f"{self.name}: of {rows} rows at once only {limits.max_waiting} may wait; send less, or ask"
                    " the operator for a higher max_waiting",
                )
            if not limits.admits(rows, waiting=waiting, of_tenant=of_tenant):
                raise ModelOverloaded(
                    f"{self.name}: {waiting} rows wait of {limits.max_waiting} that may, {of_tenant} of them yours,"
                    f" so {rows} more were not taken; send fewer at once, or try again later"
                )
            self._take_in(outcome.entries, now)
        except (WorkRefused, ModelFailed, CallCanceled) as error:
            return error
        return outcome

    def _take_in(self, entries: Sequence[Entry], now: float) -> None:
        if not self._threads:
            self._start_thread()
        max_rows, fit = self.limits.max_rows, self._runner.fit
        within_s = hold_s(self.limits, fit)
        for entry in entries:
            cost = fit.share(entry.rows, entry.rows * entry.length, of_rows=max_rows)
            self._waiting.add(entry, cost)
            self._company.arrived(entry.group, entry.rows, now, within_s)

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name=f"batch-{self.name}", daemon=True)
        try:
            thread.start()
        except (RuntimeError, MemoryError) as error:
            raise ModelOverloaded(f"{self.name}: no thread could be started ({error}); try again later") from error
        self._threads.add(thread)

    def _start_another(self) -> None:
        """Start one more thread if there may be more. If that fails, those that there are go on."""
        if len(self._threads) < self._at_once:
            with suppress(ModelOverloaded):
                self._start_thread()

    def _worth_waking(self, newest: Sequence[Entry]) -> bool:
        """Return whether new pieces should wake the thread. A held-back batch is not examined for every piece."""
        if not self._holding:
            return self._idle > 0
        rows = self._waiting.rows
        if rows >= self.limits.max_rows or self._company.missing(newest[0].group) < MISSING_ROWS:
            return True
        first_s = min((entry.deadline_s for entry in newest if entry.deadline_s is not None), default=float("inf"))
        return first_s < self._held_until_s + self._runner.fit.predict(rows, rows * newest[0].length)

    def _leave(self, entries: Sequence[Entry], error: BaseException) -> None:
        """Remove the entries of a caller that left. A run that no other caller waits for is ended."""
        with self._lock:
            leaving = [entry for entry in entries if not entry.left]
            waiting = self._take_out([entry for entry in leaving if entry.waiting], run=False)
            controls = [self._runner.leave(entry) for entry in leaving]
        for control in controls:
            if control is not None:
                control.end()
        if waiting and isinstance(error, CallCanceled):
            self._watch.canceled(len(waiting))
        elif waiting and isinstance(error, DeadlinePassed):
            self._watch.expired(len(waiting))
        _fail(leaving, error)

    def _take_out(self, pieces: Sequence[QueuedPiece], *, run: bool) -> list[Entry]:
        for piece in pieces:
            self._waiting.remove(piece, run=run)
        return cast("list[Entry]", list(pieces))

    def _serve(self) -> None:
        """Collect, decide and run in a loop. Whatever fails here, no caller waits forever, and the thread goes on."""
        while True:
            # This releases the last batch, so that nothing of it is held while there is no work.
            work: _Work | None = None
            try:
                work = self._next()
                if work is None:
                    return
                self._refuse_late(work.late)
                self._run_batch(work)
            except Exception as error:
                log.exception("batcher_failed", model=self.name)
                self._give_up(work, ModelFailed("model_run_failed", f"{self.name}: {error!r}", retryable=True))
            finally:
                if work is not None:
                    with self._lock:
                        self._count_out(work)

    def _give_up(self, work: "_Work | None", error: ModelFailed) -> None:
        """Fail the current work and the whole queue, so that a queue that cannot be read does not fail without end."""
        with self._lock:
            waiting = cast("list[Entry]", list(self._waiting))
            for entry in waiting:
                entry.waiting = False
            self._waiting = WaitingPieces()
        _fail(waiting, error)
        if work is not None:
            _fail([late.entry for late in work.late] + work.batch, error)

    def _next(self) -> "_Work | None":
        late: list[_Late] = []
        with self._lock:
            while True:
                decision = self._decide()
                match decision:
                    case Refuse(piece, predicted_s):
                        late += [_Late(entry, predicted_s) for entry in self._take_out([piece], run=False)]
                    case Dispatch(pieces):
                        self._waiting.serve(pieces[0])
                        batch = self._take_out(pieces, run=True)
                        return _Work(batch, late, counts=True, has_company=self._share_out())
                    case _ if late:
                        return _Work([], late)
                    case WaitUntil(at_s):
                        self._held_until_s = at_s
                        self._hold(at_s - self._clock())
                    case Idle():
                        if not self._running:
                            self._waiting.rest()
                        if self._closed or not self._sleep(IDLE_THREAD_S):
                            self._threads.discard(threading.current_thread())
                            return None

    def _share_out(self) -> bool:
        """Let another thread run what still waits. Return whether this batch runs beside others."""
        self._running += 1
        if len(self._waiting):
            if self._idle:
                self._changed.notify()
            else:
                self._start_another()
        return self._at_once > 1 and (self._running > 1 or len(self._waiting) > 0)

    def _count_out(self, work: "_Work") -> None:
        if work.counts:
            work.counts = False
            self._running -= 1

    def _decide(self) -> Decision:
        limits = self.limits
        rows = self._runner.size.of(limits.max_rows)
        if rows < limits.max_rows:
            limits = replace(limits, max_rows=rows)
        config = PolicyConfig(limits, self._runner.fit, self._company, self._last_run_s)
        return decide(self._waiting, config, self._clock())

    def _sleep(self, timeout_s: float) -> bool:
        """Sleep until a piece arrives or the batcher is closed. Return False if nothing happens for this time."""
        self._idle += 1
        woken = self._changed.wait(timeout_s)
        self._idle -= 1
        return woken or len(self._waiting) > 0 or self._closed

    def _hold(self, timeout_s: float) -> None:
        """Wait for pieces that are missing, for at most this time."""
        self._holding += 1
        self._changed.wait(max(timeout_s, 0.0))
        self._holding -= 1

    def _refuse_late(self, late: "list[_Late]") -> None:
        if late:
            self._watch.expired(len(late))
        for one in late:
            _fail([one.entry], DeadlinePassed(f"{self.name}: {one.why}; nothing was run"))

    def _run_batch(self, work: "_Work") -> None:
        for settled in self._runner.run(work.batch, has_company=work.has_company):
            with self._lock:
                # Before its callers are woken, who may come back at once and are then alone.
                self._count_out(work)
                self._last_run_s = self._clock()
                rows = sum(entry.rows for entry in settled.entries)
                self._company.run_ended(settled.entries[0].group, rows, self._last_run_s)
                # The caller goes on as soon as it has its answers. Another thread may have some of them.
                outcomes = dict.fromkeys(entry.outcome for entry in settled.entries)
                for outcome in outcomes:
                    outcome.ran_s += settled.run_s
                if settled.answers is not None:
                    shares = zip(settled.entries, settled.answers, settled.device_us, strict=True)
                    for entry, answer, device_us in shares:
                        entry.outcome.device_us += device_us
                        entry.outcome.give(entry.index, answer)
            if settled.answers is not None:
                wake(outcome for outcome in outcomes if outcome.complete)
            elif settled.error is not None:
                _fail(settled.entries, settled.error)
            with self._lock:
                self._company.answered(self._clock())

    def _unloaded(self) -> ModelFailed:
        return ModelFailed("model_run_failed", f"{self.name} was unloaded before this ran", retryable=True)


@dataclass(frozen=True, slots=True)
class _Late:
    entry: Entry
    predicted_s: float

    @property
    def why(self) -> str:
        if not self.predicted_s:
            return "the deadline passed in the queue"
        return f"a run takes about {self.predicted_s:.3g} s, more than was left before the deadline"


@dataclass(slots=True)
class _Work:
    batch: list[Entry]
    late: list[_Late]
    counts: bool = False
    """True while it counts as running."""
    has_company: bool = False
    """True if other batches run beside it, or wait."""


def _entry(piece: Piece[Any], index: int, outcome: Outcome, now: float) -> Entry:
    return Entry(
        tenant=outcome.call.tenant,
        group=piece.group,
        length=piece.length,
        rows=piece.rows,
        queued_s=now,
        deadline_s=outcome.call.deadline_s,
        payload=piece.payload,
        outcome=outcome,
        index=index,
    )


def _fail(entries: Sequence[Entry], error: BaseException) -> None:
    for entry in entries:
        entry.outcome.fail(error)
    wake(dict.fromkeys(entry.outcome for entry in entries))
