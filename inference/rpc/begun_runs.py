"""Manage runs for which no thread waits. A single thread sends all their answers; answers of runs that end together are
sent in one step.
"""

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
MAX_TOGETHER = 64
MAX_TOGETHER_BYTES = 4 << 20
MAX_BEGUN = 512
"""The most such runs at a time. All of them are small, because a large input is stored under a separate key until a
thread reads it.
"""
OVERDUE_S = 0.5
"""The time after its deadline at which a run is canceled here. A caller normally cancels its request itself at the
deadline; this is for callers that cannot.
"""


class Begins(Protocol):
    """Starts runs without a thread, as an addition to `Serve`. It is for requests that wait only for other requests to
    run with.
    """

    def begin(self, request: LaneRequest, ended: Callable[[], None]) -> Result | None:
        """Begin the request, or return None if a thread must serve it. If it is begun, `ended` is called once, in any
        thread and maybe immediately.
        """

    def together(self, model_key: str) -> int:
        """Return how many requests a run may hold. The number is 1 if it is better that threads serve them."""


@dataclass(eq=False, slots=True)
class _Begun:
    run: Run
    began_s: float
    steps: "itertools.count[int]" = field(default_factory=itertools.count)
    """A counter of the two steps before the answer: the run has ended, and the way to get its outcome is known. Either
    step may be the first.
    """
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
        """Set up the runs. `run_again` runs a request in a thread, for callers who joined late. `spare` is the number
        of requests that may be held to begin the next run with.
        """
        self._begins = begins
        self._outcomes = outcomes
        self._hand = hand
        self._replier = replier
        self._run_again = run_again
        self._spare = spare
        self._ended: SimpleQueue[_Begun | None] = SimpleQueue()
        self._going: set[_Begun] = set()
        self._trusted: dict[str, int] = {}
        """The number of requests of each model that may be taken in the expectation that they can be begun. It grows by
        one with each that is begun, and drops to 0 with one that cannot be begun.
        """
        self._thread = threading.Thread(target=self._answer_on, name="lane-answers", daemon=True)

    def __len__(self) -> int:
        return len(self._going)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.put(None)

    def room(self, model_key: str) -> int:
        """Return how many more requests may be held: enough to fill a run, and the spare ones for the next.

        The number is bounded by how many of this model's requests are expected to be begun. Those that cannot be begun
        would wait here, where no other worker sees them.
        """
        together = self._begins.together(model_key)
        most = min(MAX_BEGUN, together + self._spare, self._trusted.get(model_key, self._spare))
        return max(0, most - len(self._going)) if together > 1 else 0

    def take(self, run: Run) -> bool:
        """Begin the run. Return False if a thread must run it."""
        if len(self._going) >= MAX_BEGUN:
            return False
        begun = self._begin(run)
        trusted = min(MAX_BEGUN, self._trusted.get(run.model_key, self._spare) + 1)
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
        """Return the other runs that have ended by now."""
        others: list[_Begun] = []
        while len(others) < MAX_TOGETHER - 1:
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
                if sum(reply.size_bytes for reply in replies) > MAX_TOGETHER_BYTES:
                    self._replier.send(replies)
                    replies = []
            self._replier.send(replies)
        finally:
            for run in ended:
                self._hand.end(run)
                self._hand.release(run)

    def _made(self, begun: _Begun) -> list[Reply] | None:
        """Return the replies of the run. Return None if it is run again, for callers who joined late and still have
        time.

        The list is empty if the replies cannot be made. The callers then notice that no worker holds their request any
        more.
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
