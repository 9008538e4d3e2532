"""Determine the outcome of a run, and what each of its callers receives."""

from collections.abc import Callable
from typing import Protocol

import redis
import structlog

from inference.core.contracts import WorkOutput, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed
from inference.core.spent import Spent
from inference.rpc.answers import LaneAnswer, SpentMs, WorkError, write_answer, write_error
from inference.rpc.commands import read_claim
from inference.rpc.errors import LaneUnavailable, MessageMalformed
from inference.rpc.frames import Buffer
from inference.rpc.limits import LaneLimits
from inference.rpc.lines import CommandLine
from inference.rpc.runs import LaneRequest, Run, Taken
from inference.rpc.works import read_work

log = structlog.get_logger(__name__)

Serve = Callable[[LaneRequest], WorkOutput]
"""A function that serves a request. It is called in as many threads as there are slots, so that requests meet in the
batcher.
"""


class Result(Protocol):
    def result(self) -> WorkOutput:
        """Return the output, or raise what went wrong."""


Begin = Callable[[LaneRequest, Callable[[], None]], Result | None]
"""A function that begins a request, or returns None if a thread must serve it. The given callback is called once, in
any thread, when the run has ended.
"""
Outcome = WorkOutput | WorkError


class Outcomes:
    def __init__(self, serve: Serve, line: CommandLine, limits: LaneLimits) -> None:
        self._serve = serve
        self._line = line
        self._limits = limits

    def of(self, run: Run) -> Outcome:
        return _guarded(run, lambda: self._serve(_request(run, self._payload_of(run))))

    def begun(self, run: Run, begin: Begin, ended: Callable[[], None]) -> Callable[[], Outcome] | None:
        """Begin the run. Return the function that gives its outcome after `ended` was called, or None if a thread must
        run it.
        """
        payload = _inline(run)
        if payload is None:
            return None
        try:
            begun = begin(_request(run, payload), ended)
        except Exception as error:
            failed = error
        else:
            return None if begun is None else lambda: _guarded(run, begun.result)

        def fail() -> WorkOutput:
            raise failed

        ended()
        return lambda: _guarded(run, fail)

    def payload_for(self, taken: Taken, outcome: Outcome, run_ms: float, spent: Spent, *, joined: bool) -> bytes:
        if not isinstance(outcome, WorkOutput):
            return write_error(outcome)
        try:
            spent_ms = _spent_ms(spent, taken.load_s)
            payload = write_answer(LaneAnswer(outcome, taken.queue_s * 1000, run_ms, spent_ms, joined=joined))
        except (TypeError, ValueError, WorkRefused) as error:
            return write_error(ModelFailed("model_output_invalid", f"the answer cannot be written: {error}"))
        if len(payload) > self._limits.answer_bytes:
            said = f"the answer has {len(payload)} bytes; at most {self._limits.answer_bytes} fit"
            return write_error(ModelFailed("model_output_too_large", said))
        return payload

    def _payload_of(self, run: Run) -> Buffer:
        inline = _inline(run)
        if inline is not None:
            return inline
        if not run.payload:
            run.payload = self._claimed(run)
        return run.payload

    def _claimed(self, run: Run) -> bytes:
        for request_id in list(run.members):
            try:
                payload = self._line.run(read_claim(request_id, "work", self._limits.payload_bytes))
            except redis.RedisError as error:
                raise LaneUnavailable(f"the input could not be read: {error}") from error
            if payload is not None:
                return bytes(payload)
        run.call.check()
        raise LaneUnavailable("the input is gone from Redis; send the request again")


def _inline(run: Run) -> Buffer | None:
    payloads = (taken.envelope.payload for taken in list(run.members.values()))
    return next((payload for payload in payloads if payload is not None), None)


def _request(run: Run, payload: Buffer) -> LaneRequest:
    work, parameters = read_work(payload)
    return LaneRequest(run.model_key, work, parameters, run.call)


def _guarded(run: Run, work: Callable[[], WorkOutput]) -> Outcome:
    try:
        return work()
    except MessageMalformed as error:
        log.warning("rpc_message_dropped", model=run.model_key, error=str(error))
        return ModelFailed("internal_error", f"The worker cannot read the request: {error}")
    except (WorkRefused, ModelFailed, CallCanceled) as error:
        return error
    except Exception:
        log.exception("rpc_run_failed", model=run.model_key)
        return ModelFailed("internal_error", "Something went wrong on our side; the operator's log says what.")


def _spent_ms(spent: Spent, load_s: float) -> SpentMs:
    """Return the times in milliseconds. `load_s` is the load time that passed before the worker took the request."""
    return SpentMs((spent.load_s + load_s) * 1000, spent.batch_s * 1000, spent.infer_s * 1000)


def told(outcome: Outcome) -> str:
    """Return the label under which the outcome of a run is counted."""
    match outcome:
        case WorkOutput():
            return "served"
        case WorkRefused():
            return "refused"
        case CallCanceled():
            return "canceled"
        case DeadlinePassed():
            return "expired"
    return "failed"
