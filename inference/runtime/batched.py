"""The batcher of each session in memory, which disappears with it, and the default limits of its batches."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import structlog

from inference.batching.batch_run import Ended, Outcome
from inference.batching.batcher import Batcher, Piece
from inference.batching.cost_fit import CostFit
from inference.batching.limits import BatchLimits, Sharing
from inference.batching.watch import BatchFigures
from inference.core.calls import Call, RunControl
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput
from inference.core.errors import CallCanceled
from inference.runtime.borrowed_session import Borrowed
from inference.runtime.metrics import MeteredBatches
from inference.runtime.session import Session
from inference.runtime.session_host import SessionHost
from inference.runtime.session_slot import Change, Happened

DETECTION_LIMITS = BatchLimits(max_rows=8, max_padded=4_000_000, max_waiting=1024, max_wait_ms=0)
"""The limits in pixels. Each takes 300 bytes of memory, and a processor gains nothing from two pages at once."""
RECOGNITION_LIMITS = BatchLimits(max_rows=1, max_padded=8192, max_waiting=16_384, max_wait_ms=0)
"""The limits in pixels of width. A processor gains nothing from several lines at once, and a line alone and a line
among others take different code paths, whose last bits differ.
"""
ORIENTATION_LIMITS = BatchLimits(max_rows=8, max_padded=None, max_waiting=1024, max_wait_ms=0)
EMBED_LIMITS = BatchLimits(max_rows=64, max_padded=288, max_waiting=16_384, max_wait_ms=0)
"""The limits in tokens. On a processor a larger batch is no faster, and every caller in it waits for all of it."""
WHOLE_EMBED_LIMITS = BatchLimits(max_rows=64, max_padded=4096, max_waiting=16_384, max_wait_ms=0)
"""The same on a GPU, where a run always has the same size."""
ONNX_LIMITS = BatchLimits(max_rows=64, max_padded=None, max_waiting=65_536, max_wait_ms=30)
"""The limits in rows. If a run costs much whatever its size, a batch waits for the callers that were just answered."""

OWN_LIMITS: Mapping[str, Mapping[str, BatchLimits]] = {
    "ocr": {"detection": DETECTION_LIMITS, "recognition": RECOGNITION_LIMITS},
    "orient": {"weights": ORIENTATION_LIMITS},
    "embed": {"weights": EMBED_LIMITS},
    "onnx": {"weights": ONNX_LIMITS},
}
"""The limits by runtime and role. Pipelines run nothing themselves, so the limits of their members apply."""


class Asked(Protocol):
    """A caller's request to a model."""

    @property
    def work(self) -> WorkInput: ...

    @property
    def parameters(self) -> Mapping[str, Json]: ...

    @property
    def call(self) -> Call: ...


Output = Callable[[list[Any]], WorkOutput]
"""A function from the answers to a caller's pieces to the output for the caller."""


@dataclass(slots=True)
class Ready:
    """A caller's work, ready for a batch."""

    pieces: Sequence[Piece[Any]]
    output: Output


@dataclass(slots=True)
class Begun:
    """A caller's work in a batch. Its result must be taken once, and keeps the session in memory until then."""

    outcome: Outcome
    batcher: Batcher[Any, Any]
    output: Output
    borrowed: Borrowed

    def result(self) -> WorkOutput:
        """Return the result or raise the run's error, once. A call before the run has ended abandons the run."""
        try:
            return self.output(self.batcher.answers(self.outcome)).timed(self.outcome.device_us)
        finally:
            self.borrowed.give_back()


Begins = Sequence[Begun | Exception | None]
"""For each caller the work that was begun, the error that refuses it, or None if a thread must do it."""


@runtime_checkable
class BeginsRuns(Protocol):
    """A runtime that needs no thread for a caller that waits only for a batch."""

    def begin(self, spec: VersionSpec, asked: Sequence[Asked], ended: Ended) -> Begins:
        """Start the work of `run` for each of these callers without waiting. `ended`: see `Batcher.begin`."""

    def rows_together(self, spec: VersionSpec) -> int:
        """Return how many rows of different callers a run may hold now. It is 1 if they do not share a run."""


log = structlog.get_logger(__name__)
KEEP_FIT_EVERY_S = 10.0

RunOnSession = Callable[[Session, Sequence[Any], int, RunControl], Sequence[Any]]
"""A function from payloads, the length to pad to and a control that can end the run to an answer for each."""


@dataclass(frozen=True, slots=True)
class Part:
    """A model version and the role of one of its files."""

    key: str
    role: str

    def __str__(self) -> str:
        return self.key if self.role == "weights" else f"{self.key} ({self.role})"


@dataclass(frozen=True, slots=True)
class PartFigures:
    part: Part
    batches: BatchFigures
    """The figures since this process began, including what was evicted meanwhile."""
    waiting_rows: int


@dataclass(slots=True)
class _Served:
    """A session in memory and the batcher that runs it."""

    session: Session
    batcher: Batcher[Any, Any]
    part: Part
    keep_fit_at_s: float = 0.0


class SessionBatchers:
    """The batchers of a host. Versions that share a file share its session, its batcher and its batches."""

    def __init__(self, host: SessionHost) -> None:
        self._host = host
        self._served: dict[Path, _Served] = {}
        self._watches: dict[Part, MeteredBatches] = {}
        self._limits: Mapping[Part, BatchLimits] = {}
        self._lock = threading.Lock()
        host.on_change(self._changed)

    def limit(self, limits: Mapping[Part, BatchLimits]) -> None:
        """Set an operator's limits from the next call on. Parts that are not named keep their runtime's limits."""
        self._limits = dict(limits)

    def limits_of(self, part: Part, own: BatchLimits) -> BatchLimits:
        return self._limits.get(part, own)

    def figures(self) -> tuple[PartFigures, ...]:
        """Return the figures of all that ran here. A shared file counts for the version that used it first."""
        with self._lock:
            waiting = {served.part: served.batcher.waiting_rows for served in self._served.values()}
            watches = list(self._watches.items())
        return tuple(PartFigures(part, watch.figures, waiting.get(part, 0)) for part, watch in watches)

    def run(
        self,
        session: Session,
        pieces: Sequence[Piece[Any]],
        run: RunOnSession,
        *,
        of: Part,
        limits: BatchLimits,
        call: Call,
    ) -> list[Any]:
        """Return the answers in the order of the pieces. The caller keeps the session in memory meanwhile."""
        batcher = self._batcher(session, run, of, limits)
        return batcher.run(self._shared(pieces, of, limits), call)

    def begin(
        self,
        path: str,
        asked: Sequence[Asked],
        prepare: Callable[[Session, Asked], Ready | None],
        run: RunOnSession,
        *,
        of: Part,
        limits: BatchLimits,
        ended: Ended,
        isolated: bool = False,
    ) -> Begins:
        """Start the work of all these callers at once, if the session is in memory. `prepare` returns None for work
        that a thread must do.
        """
        borrowed = self._host.borrow(path, len(asked), isolated=isolated)
        if borrowed is None:
            return [None] * len(asked)
        try:
            prepared = [_prepared(prepare, borrowed.session, one) for one in asked]
            pieces = [
                (self._shared(ready.pieces, of, limits), one.call)
                for ready, one in zip(prepared, asked, strict=True)
                if isinstance(ready, Ready)
            ]
            batcher = self._batcher(borrowed.session, run, of, limits)
            outcomes = iter(batcher.begin(pieces, ended))
        except BaseException:
            for _one in asked:
                borrowed.give_back()
            raise
        begun: list[Begun | Exception | None] = []
        for ready in prepared:
            outcome = next(outcomes) if isinstance(ready, Ready) else ready
            if isinstance(ready, Ready) and isinstance(outcome, Outcome):
                begun.append(Begun(outcome, batcher, ready.output, borrowed))
            else:
                borrowed.give_back()
                begun.append(outcome)  # type: ignore[arg-type]
        return begun

    def sessions(self) -> tuple[Session, ...]:
        with self._lock:
            return tuple(served.session for served in self._served.values())

    def _batcher(self, session: Session, run: RunOnSession, of: Part, limits: BatchLimits) -> Batcher[Any, Any]:
        served = self._of(session, run, of)
        # The limits are those of the version that used the file first. Others do not change them by their calls.
        served.batcher.limits = self.limits_of(served.part, limits)
        return served.batcher

    def _shared(self, pieces: Sequence[Piece[Any]], of: Part, limits: BatchLimits) -> Sequence[Piece[Any]]:
        return _for_one_call(pieces) if self.limits_of(of, limits).sharing is Sharing.NEVER else pieces

    def _of(self, session: Session, run: RunOnSession, of: Part) -> _Served:
        with self._lock:
            served = self._served.get(session.path)
            if served is not None and served.session is session:
                return served
            left = served
            batcher = Batcher(
                str(of),
                self._runner(session, run),
                fit=self._fit_of(session),
                watch=self._watch_of(of),
                at_once=session.at_once,
            )
            served = self._served[session.path] = _Served(session, batcher, of)
        if left is not None:
            left.batcher.close(wait=False)
        return served

    def _changed(self, change: Change) -> None:
        """Close the batcher of an evicted session. The path may belong to another session by now."""
        if change.happened is not Happened.EVICTED:
            return
        with self._lock:
            served = self._served.get(Path(change.path))
            if served is None or not served.session.closed:
                return
            del self._served[Path(change.path)]
        served.batcher.close(wait=False)

    def _watch_of(self, part: Part) -> MeteredBatches:
        if part not in self._watches:
            self._watches[part] = MeteredBatches(part.key, part.role)
        return self._watches[part]

    def _runner(self, session: Session, run: RunOnSession) -> Callable[[Sequence[Any], int, RunControl], Sequence[Any]]:
        def run_batch(payloads: Sequence[Any], length: int, control: RunControl) -> Sequence[Any]:
            if control.ended:
                raise CallCanceled
            # The session is in use as long as the run lasts, even if the callers that waited for it have left.
            with self._host.kept(session.path):
                answers = run(session, payloads, length, control)
                self._keep_fit(session)
                return answers

        return run_batch

    def _fit_of(self, session: Session) -> CostFit:
        profile = self._host.profile(session.path)
        try:
            return CostFit.restored(profile.fit) if profile is not None and profile.fit else CostFit()
        except ValueError as error:
            log.warning("batch_cost_fit_unreadable", model=session.name, error=str(error))
            return CostFit()

    def _keep_fit(self, session: Session) -> None:
        """Store the fit now and then, so that today's runs serve the first caller after a restart."""
        now_s = time.monotonic()
        served = self._served.get(session.path)
        if served is not None and now_s >= served.keep_fit_at_s:
            served.keep_fit_at_s = now_s + KEEP_FIT_EVERY_S
            self._host.learn(session.path, fit=served.batcher.fit.saved())


def _prepared(
    prepare: Callable[[Session, Asked], Ready | None], session: Session, one: Asked
) -> Ready | Exception | None:
    try:
        return prepare(session, one)
    except Exception as error:
        return error


def _for_one_call(pieces: Sequence[Piece[Any]]) -> list[Piece[Any]]:
    """Return the pieces in groups of this call only. A caller's own pieces may still run together."""
    call = object()
    return [replace(piece, group=(call, piece.group)) for piece in pieces]
