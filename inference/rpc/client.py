"""Call the workers from threads. Each call waits for its own answer, and has a connection of its own while it waits."""

import time
from collections import deque
from collections.abc import Mapping

from inference.core.calls import Call
from inference.core.contracts import Json
from inference.rpc.answers import LaneAnswer, read_answer
from inference.rpc.commands import outgoing
from inference.rpc.errors import LaneUnavailable, MessageMalformed
from inference.rpc.frames import Buffer
from inference.rpc.limits import LaneLimits
from inference.rpc.talk import Talk
from inference.rpc.wires import Wire
from inference.rpc.works import LaneWork, cost_of, write_work


class LaneClient:
    """A client for one process. It keeps as many connections as the largest number of calls that ever waited
    at once.
    """

    def __init__(self, url: str, *, limits: LaneLimits | None = None) -> None:
        self._url = url
        self._limits = limits or LaneLimits()
        self._idle: deque[Wire] = deque()

    def call(
        self,
        model_key: str,
        work: LaneWork,
        parameters: Mapping[str, Json],
        call: Call,
        *,
        coalesce: str | None = None,
    ) -> LaneAnswer:
        """Wait for the answer and return it, or raise the error that the model raised.

        Raises `LaneOverloaded` immediately if too much waits, `LaneUnavailable` if Redis is unreachable or does not
        answer, and `DeadlinePassed` or `CallCanceled` as the call says.
        """
        call.check()
        asked = outgoing(
            model_key,
            write_work(work, parameters),
            cost=cost_of(work),
            tenant=call.tenant,
            coalesce=coalesce,
            limits=self._limits,
        )
        wire = self._wire()
        try:
            return understood(Talk(wire, asked, call, deadline_of(call, self._limits)).answer())
        finally:
            # The connection that was used last is used first, because it is the most likely to be still open.
            self._idle.append(wire)

    def close(self) -> None:
        """Close the idle connections. Calls that still wait end at their deadlines."""
        while self._idle:
            self._idle.pop().close()

    def _wire(self) -> Wire:
        try:
            return self._idle.pop()
        except IndexError:
            return Wire(self._url)


def deadline_of(call: Call, limits: LaneLimits) -> float:
    longest_s = time.monotonic() + limits.longest_s
    return longest_s if call.deadline_s is None else min(call.deadline_s, longest_s)


def understood(payload: Buffer | None) -> LaneAnswer:
    if payload is None:
        raise LaneUnavailable("the answer is gone from Redis")
    try:
        return read_answer(payload)
    except MessageMalformed as error:
        raise LaneUnavailable(f"the answer cannot be understood: {error}") from error
