"""Determine the outcome of a run, and what each of its callers receives."""

from collections.abc import Callable

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


Outcome = WorkOutput | WorkError


class Outcomes:
    def __init__(self, serve: Serve, line: CommandLine, limits: LaneLimits) -> None:
        self._serve = serve
        self._line = line
        self._limits = limits

    def of(self, run: Run) -> Outcome:
        return _guarded(run, lambda: self._serve(request_of(run, self._payload_of(run))))

    @staticmethod
    def of_begun(run: Run) -> Outcome:
        """Return the outcome of a run that was begun and has ended, or that was refused."""
        return _guarded(run, run.ended)

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
        inline = run.inline
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


def request_of(run: Run, payload: Buffer) -> LaneRequest:
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
