"""Manage runs for which no thread waits. The thread that ends a batch answers all its runs in one step."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Protocol

import structlog

from inference.core.calls import Call
from inference.core.errors import DeadlinePassed
from inference.rpc.errors import MessageMalformed
from inference.rpc.outcomes import Outcome, Outcomes, request_of
from inference.rpc.replier import Replier, Reply
from inference.rpc.runs import Hand, LaneRequest, Result, Run, Taken

log = structlog.get_logger(__name__)
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

    def begin(
        self, model_key: str, requests: Sequence[LaneRequest], ended: Callable[[Sequence[Call]], None]
    ) -> Sequence[Result | Exception | None]:
        """Begin the requests. Return for each its result, the error that refuses it, or None if a thread must serve it.
        `ended` is called for each that is begun, once, in any thread and maybe immediately, with all that end together.
        """

    def answered(self, began_s: Sequence[tuple[str, float]]) -> None:
        """Hear that requests of these models, which were begun at these times, have their answers."""

    def together(self, model_key: str) -> int:
        """Return how many requests a run may hold. The number is 1 if it is better that threads serve them."""


@dataclass(frozen=True, slots=True)
class _Unsent:
    """Replies by Redis, for which the thread that ended their runs does not wait."""

    replies: Sequence[Reply]
    runs: Sequence[Run]


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
        self._unsent: SimpleQueue[_Unsent | None] = SimpleQueue()
        self._going: dict[Call, Run] = {}
        self._trusted: dict[str, int] = {}
        """The number of requests of each model that may be taken in the expectation that they can be begun. It grows by
        one with each that is begun, and drops to 0 with one that cannot be begun.
        """
        self._thread = threading.Thread(target=self._send_on, name="lane-answers", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._unsent.put(None)

    def room(self, model_key: str) -> int:
        """Return how many more requests may be held: enough to fill a run, and the spare ones for the next.

        The number is bounded by how many of this model's requests are expected to be begun. Those that cannot be begun
        would wait here, where no other worker sees them.
        """
        together = self._begins.together(model_key)
        most = min(MAX_BEGUN, together + self._spare, self._trusted.get(model_key, self._spare))
        return max(0, most - len(self._going)) if together > 1 else 0

    def take(self, runs: Sequence[Run]) -> list[Run]:
        """Begin the runs. Return those that a thread must run."""
        room = max(0, MAX_BEGUN - len(self._going))
        by_model: dict[str, list[Run]] = {}
        for run in runs[:room]:
            by_model.setdefault(run.model_key, []).append(run)
        left = list(runs[room:])
        for model_key, alike in by_model.items():
            left += self._take(model_key, alike)
        return left

    def leave_overdue(self) -> None:
        late_s = time.monotonic() - OVERDUE_S
        for run in list(self._going.values()):
            if (run.call.deadline_s or late_s) < late_s:
                run.call.cancel()

    def _take(self, model_key: str, runs: Sequence[Run]) -> list[Run]:
        requests = self._requests(runs)
        results = iter(self._begun(model_key, [one for one in requests if isinstance(one, LaneRequest)]))
        left, begun = [], []
        for run, request in zip(runs, requests, strict=True):
            run.result = next(results) if isinstance(request, LaneRequest) else request
            if run.result is None:
                self._going.pop(run.call, None)
                left.append(run)
            else:
                begun.append(run)
        self._hand.begun(begun)
        trusted = self._trusted.get(model_key, self._spare) + len(begun)
        self._trusted[model_key] = 0 if left else min(MAX_BEGUN, trusted)
        self._answer([run for run in begun if isinstance(run.result, Exception) or next(run.steps)])
        return left

    def _requests(self, runs: Sequence[Run]) -> list[LaneRequest | Exception | None]:
        """Read what the runs are to do. It is None for a run whose input is stored under a separate key."""
        now_s = time.monotonic()
        requests: list[LaneRequest | Exception | None] = []
        for run in runs:
            payload = run.inline
            run.began_s = now_s
            try:
                requests.append(None if payload is None else request_of(run, payload))
            except MessageMalformed as error:
                requests.append(error)
            else:
                self._going[run.call] = run
        return requests

    def _begun(self, model_key: str, requests: Sequence[LaneRequest]) -> Sequence[Result | Exception | None]:
        try:
            return self._begins.begin(model_key, requests, self._ended) if requests else ()
        except Exception as error:
            return [error] * len(requests)

    def _ended(self, calls: Sequence[Call]) -> None:
        runs = [self._going.get(call) for call in calls]
        self._answer([run for run in runs if run is not None and next(run.steps)])

    def _answer(self, runs: Sequence[Run]) -> None:
        """Answer the runs, in the thread that ended them. What goes by Redis is sent in another one."""
        if not runs:
            return
        try:
            self._reply(runs)
        except Exception:
            log.exception("rpc_failed", model=runs[0].model_key)
            self._hand.end(runs)
            self._hand.release(runs)
        finally:
            for run in runs:
                self._going.pop(run.call, None)
            self._begins.answered(
                [(run.model_key, run.began_s) for run in runs if not isinstance(run.result, Exception)]
            )

    def _reply(self, runs: Sequence[Run]) -> None:
        now_s = time.monotonic()
        outcomes = [(run, self._outcomes.of_begun(run)) for run in runs]
        ended = [
            (run, outcome)
            for run, outcome in outcomes
            if not (isinstance(outcome, DeadlinePassed) and self._renewed(run, now_s))
        ]
        answered = [run for run, _outcome in ended]
        replies, by_redis = list[Reply](), list[Reply]()
        members = self._hand.end(answered)
        self._replier.count(ended, members)
        together_bytes = 0
        for (run, outcome), waiting in zip(ended, members, strict=True):
            more = self._replies(run, waiting, outcome, (now_s - run.began_s) * 1000)
            replies += more
            together_bytes += sum([reply.size_bytes for reply in more])
            if together_bytes > MAX_TOGETHER_BYTES:
                by_redis += self._sent_now(replies)
                replies, together_bytes = [], 0
        by_redis += self._sent_now(replies)
        if by_redis:
            self._unsent.put(_Unsent(by_redis, answered))
        else:
            self._hand.release(answered)

    def _replies(self, run: Run, members: Sequence[Taken], outcome: Outcome, run_ms: float) -> list[Reply]:
        """Return the replies of the run, or none if they cannot be made. Its callers then notice that no worker holds
        their request any more.
        """
        try:
            return self._replier.replies(run, members, outcome, run_ms)
        except Exception:
            log.exception("rpc_failed", model=run.model_key)
            return []

    def _renewed(self, run: Run, now_s: float) -> bool:
        """Return True if the run is run again, for callers who joined late and still have time."""
        call = run.call
        if not self._hand.renew(run, now_s):
            return False
        self._going.pop(call, None)
        self._run_again(run)
        return True

    def _sent_now(self, replies: Sequence[Reply]) -> list[Reply]:
        """Send the replies that need no waiting, and return the others."""
        self._replier.send_by_sockets(replies)
        return [reply for reply in replies if reply.command is not None]

    # The following methods send answers by Redis, in a thread of their own.

    def _send_on(self) -> None:
        while (first := self._unsent.get()) is not None:
            together = [first, *self._others()]
            try:
                self._replier.send_by_redis([reply for unsent in together for reply in unsent.replies])
            except Exception:
                log.exception("rpc_failed", model=first.runs[0].model_key)
            finally:
                self._hand.release([run for unsent in together for run in unsent.runs])

    def _others(self) -> list[_Unsent]:
        """Return the other replies that wait by now."""
        others: list[_Unsent] = []
        while True:
            try:
                other = self._unsent.get_nowait()
            except Empty:
                return others
            if other is None:
                self._unsent.put(None)
                return others
            others.append(other)
