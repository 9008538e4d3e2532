"""Send one request and receive its answer over one connection: the push and the wait are sent together, and the request
is canceled when its time is over.
"""

import threading
import time
from typing import Any, cast

import redis
import structlog
from redis.exceptions import NoScriptError

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed
from inference.rpc.commands import Outgoing, Spoken, read_claim
from inference.rpc.envelopes import ReplyEnvelope
from inference.rpc.errors import LaneOverloaded, LaneUnavailable, WorkerGone
from inference.rpc.frames import Buffer
from inference.rpc.replies import reply_in
from inference.rpc.wires import TIMEOUT_S, Popped, Wire, pop

log = structlog.get_logger(__name__)

LISTEN_S = 2.0
"""The time after which the request is looked for, so that a Redis that no longer answers and a worker that died are
noticed.
"""
MAX_MISSED = 1
"""The most looks that may miss a request before its worker counts as dead. A worker reports a request that it has just
taken within a second.
"""
LAST_WORD_S = 0.25
"""The time for canceling a request whose deadline has passed."""


class Talk:
    """The exchange of one request. The answer is stored in a list of its own until it is fetched, so a broken
    connection loses no answer.
    """

    def __init__(self, wire: Wire, asked: Outgoing, call: Call, deadline_s: float) -> None:
        self._wire = wire
        self._asked = asked
        self._call = call
        self._deadline_s = deadline_s
        self._pushed = False
        self._broken = False
        self._missed = 0
        self._ended = False
        self._lock = threading.Lock()

    def answer(self) -> Buffer | None:
        """Return the answer's bytes, or None if they are gone. Raises in the same cases as `LaneClient.call`."""
        forget = self._call.on_cancel(self._interrupt)
        try:
            self._push()
            return self._payload(self._reply())
        except (redis.RedisError, OSError) as error:
            self._end()
            raise self._why(error) from error
        except LaneOverloaded:
            raise
        except BaseException:
            self._take_back(LAST_WORD_S)
            raise
        finally:
            self._end()
            forget()

    def _push(self) -> None:
        answer = self._said(whole=False)
        if isinstance(answer, NoScriptError):
            self._wire.close()
            answer = self._said(whole=True)
        if isinstance(answer, Exception):
            raise answer
        self._pushed = True
        try:
            self._asked.check_pushed(answer)
        except LaneOverloaded:
            # A refusal is also sent to the list, so that the wait on it ends.
            self._wire.hear()
            raise

    def _said(self, *, whole: bool) -> Any:
        push = self._asked.push(self._left_s())
        self._wire.say([push.spoken_whole() if whole else push.spoken(), self._pop()], self._timeout_s())
        return self._wire.hear_answer(self._timeout_s())

    def _reply(self) -> ReplyEnvelope:
        while True:
            popped = self._popped()
            reply = reply_in(popped[1]) if popped is not None else None
            if reply is not None and reply.request_id == self._asked.request_id:
                return reply
            if popped is None:
                self._look()
            self._wire.say([self._pop()], self._timeout_s())

    def _popped(self) -> Popped:
        if self._call.canceled:
            raise redis.ConnectionError("the call was canceled")
        try:
            return cast("Popped", self._wire.hear(self._timeout_s()))
        except redis.ConnectionError:
            if self._call.canceled:
                raise
            self._broken = True
            return None

    def _look(self) -> None:
        (there,) = self._wire.run([self._asked.look()], self._timeout_s())
        self._missed = 0 if there else self._missed + 1
        if self._missed > MAX_MISSED:
            raise WorkerGone(self._asked.model_key)

    def _payload(self, reply: ReplyEnvelope) -> Buffer | None:
        if reply.payload is not None:
            return reply.payload
        claim = read_claim(reply.request_id, "answer", self._asked.limits.answer_bytes)
        (payload,) = self._wire.run([claim], self._timeout_s())
        if isinstance(payload, Exception):
            raise payload
        return cast("bytes | None", payload)

    def _pop(self) -> Spoken:
        return pop([self._asked.own_replies], min(self._left_s(), LISTEN_S))

    def _timeout_s(self) -> float:
        """Return the timeout of a step. It is the same for all steps and calls whose deadline is far away."""
        return min(self._left_s(), LISTEN_S + TIMEOUT_S)

    def _left_s(self) -> float:
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            raise redis.TimeoutError("the deadline passed")
        return left_s

    def _why(self, error: Exception) -> Exception:
        """Return the error of a call that got no answer."""
        if self._call.canceled:
            self._take_back(TIMEOUT_S)
            return CallCanceled()
        late = time.monotonic() >= self._deadline_s
        if late and self._take_back(LAST_WORD_S) and not self._broken:
            return DeadlinePassed(f"'{self._asked.model_key}' did not answer before the deadline")
        how = "went away while the call waited" if self._pushed else "did not take the request"
        return LaneUnavailable(f"the lane's Redis {how}: {error}")

    def _take_back(self, within_s: float) -> bool:
        """Cancel the request, so that no worker spends time on it. A worker that misses this ends at the deadline."""
        self._wire.close()
        try:
            self._wire.run([self._asked.cancel()], within_s)
        except (redis.RedisError, OSError) as error:
            log.info("rpc_cancel_not_sent", model=self._asked.model_key, error=str(error))
            return False
        return True

    def _interrupt(self) -> None:
        """Interrupt the wait from the thread that cancels. The exchange may have ended, in which case the connection
        belongs to another call.
        """
        with self._lock:
            if not self._ended:
                self._wire.interrupt()

    def _end(self) -> None:
        with self._lock:
            self._ended = True
