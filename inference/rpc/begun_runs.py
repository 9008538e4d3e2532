"""Runs that no thread waits for: one thread answers them all, those that end together in one step."""

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Protocol

import structlog

from inference.core.errors import DeadlinePassed
from inference.rpc.outcomes import Outcome, Outcomes, Result, told
from inference.rpc.replier import Replier, Reply
from inference.rpc.runs import Hand, LaneRequest, Run

log = structlog.get_logger(__name__)
MOST_TOGETHER = 64
MOST_TOGETHER_BYTES = 4 << 20
MOST_BEGUN = 128
"""All of them small: a large input lies under a key of its own until a thread reads it."""
OVERDUE_S = 0.5
"""A caller takes his request back by himself when its time is over; one who cannot is left after this."""


class Begins(Protocol):
    """Beside `Serve`, for requests that wait for nothing but others to run with."""

    def begin(self, request: LaneRequest, ended: Callable[[], None]) -> Result | None:
        """None where a thread must serve it; else `ended` is called once, in any thread, maybe at once."""

    def together(self, model_key: str) -> int:
        """How many of them a run may hold: 1 where it is better that threads serve them."""


@dataclass(eq=False, slots=True)
class _Begun:
    run: Run
    began_s: float
    steps: "itertools.count[int]" = field(default_factory=itertools.count)
    """Two: it has ended, and how to ask for its outcome is known. Either may be first."""
    outcome: Callable[[], Outcome] = lambda: None  # type: ignore[assignment,return-value]


class BegunRuns:
    def __init__(
        self,
        begins: Begins,
        *,
        outcomes: Outcomes,
        hand: Hand,
        replier: Replier,
        run_again: Callable[[Run], None],
        spare: int,
    ) -> None:
        """`run_again`: by a thread, for those who joined late. `spare`: to begin the next run with."""
        self._begins = begins
        self._outcomes = outcomes
        self._hand = hand
        self._replier = replier
        self._run_again = run_again
        self._spare = spare
        self._ended: SimpleQueue[_Begun | None] = SimpleQueue()
        self._going: set[_Begun] = set()
        self._trusted: dict[str, int] = {}
        """By model, so many may be taken to be begun: one more for each that was, none after one that could not be."""
        self._thread = threading.Thread(target=self._answer_on, name="lane-answers", daemon=True)

    def __len__(self) -> int:
        return len(self._going)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.put(None)

    def room(self, model_key: str) -> int:
        """How many more may be in hand: a run that is full, and what is spared for the next.

        As far as this model's can be begun: those that cannot would wait here, where no other worker sees them.
        """
        together = self._begins.together(model_key)
        most = min(MOST_BEGUN, together + self._spare, self._trusted.get(model_key, self._spare))
        return max(0, most - len(self._going)) if together > 1 else 0

    def take(self, run: Run) -> bool:
        """False where a thread must run it."""
        if len(self._going) >= MOST_BEGUN:
            return False
        begun = self._begin(run)
        trusted = min(MOST_BEGUN, self._trusted.get(run.model_key, self._spare) + 1)
        self._trusted[run.model_key] = trusted if begun else 0
        return begun

    def _begin(self, run: Run) -> bool:
        begun = _Begun(run, time.monotonic())
        self._going.add(begun)
        outcome = self._outcomes.begun(run, self._begins.begin, lambda: self._step(begun))
        if outcome is None:
            self._going.discard(begun)
            return False
        begun.outcome = outcome
        self._hand.begun(run)
        self._step(begun)
        return True

    def leave_overdue(self) -> None:
        late_s = time.monotonic() - OVERDUE_S
        for begun in list(self._going):
            if (begun.run.call.deadline_s or late_s) < late_s:
                begun.run.call.cancel()

    def _step(self, begun: _Begun) -> None:
        if next(begun.steps):
            self._ended.put(begun)

    def _answer_on(self) -> None:
        while (first := self._ended.get()) is not None:
            together = [first, *self._others()]
            try:
                self._answer(together)
            except Exception:
                log.exception("rpc_failed", model=first.run.model_key)
            finally:
                for begun in together:
                    self._going.discard(begun)

    def _others(self) -> list[_Begun]:
        """Those that have ended as well."""
        others: list[_Begun] = []
        while len(others) < MOST_TOGETHER - 1:
            try:
                other = self._ended.get_nowait()
            except Empty:
                return others
            if other is None:
                self._ended.put(None)
                return others
            others.append(other)
        return others

    def _answer(self, together: Sequence[_Begun]) -> None:
        replies: list[Reply] = []
        ended: list[Run] = []
        try:
            for begun in together:
                made = self._made(begun)
                if made is None:
                    continue
                ended.append(begun.run)
                replies += made
                if sum(reply.size_bytes for reply in replies) > MOST_TOGETHER_BYTES:
                    self._replier.send(replies)
                    replies = []
            self._replier.send(replies)
        finally:
            for run in ended:
                self._hand.end(run)
                self._hand.release(run)

    def _made(self, begun: _Begun) -> list[Reply] | None:
        """None where it goes on, for those who joined late and still have time.

        Empty where they cannot be made: their callers see that nobody has their request in hand any more.
        """
        run = begun.run
        try:
            outcome = begun.outcome()
            if isinstance(outcome, DeadlinePassed) and self._hand.renew(run, time.monotonic()):
                self._run_again(run)
                return None
            run_ms = (time.monotonic() - begun.began_s) * 1000
            members = self._hand.end(run)
            self._replier.count(run, members, told(outcome))
            return self._replier.replies(run, members, outcome, run_ms)
        except Exception:
            log.exception("rpc_failed", model=run.model_key)
            return []
