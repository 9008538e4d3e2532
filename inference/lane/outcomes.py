"""What a run comes to, and what each of its callers is told."""

from collections.abc import Callable

import redis
import structlog

from inference.contracts import WorkOutput, WorkRefused
from inference.errors import CallCanceled, DeadlinePassed, ModelFailed
from inference.lane.answers import LaneAnswer, SpentMs, WorkError, write_answer, write_error
from inference.lane.commands import read_claim
from inference.lane.errors import LaneUnavailable, MessageMalformed
from inference.lane.limits import LaneLimits
from inference.lane.lines import CommandLine
from inference.lane.runs import LaneRequest, Run, Taken
from inference.lane.works import read_work
from inference.spent import Spent

log = structlog.get_logger(__name__)

Serve = Callable[[LaneRequest], WorkOutput]
"""Called in as many threads as there are slots, so that requests meet in the batcher."""


class Outcomes:
    def __init__(self, serve: Serve, line: CommandLine, limits: LaneLimits) -> None:
        self._serve = serve
        self._line = line
        self._limits = limits

    def of(self, run: Run) -> WorkOutput | WorkError:
        try:
            work, parameters = read_work(self._payload_of(run))
            return self._serve(LaneRequest(run.model_key, work, parameters, run.call))
        except MessageMalformed as error:
            log.warning("lane_message_dropped", model=run.model_key, error=str(error))
            return ModelFailed("internal_error", f"The worker cannot read the request: {error}")
        except (WorkRefused, ModelFailed, CallCanceled) as error:
            return error
        except Exception:
            log.exception("lane_run_failed", model=run.model_key)
            return ModelFailed(
                "internal_error", "Something went wrong on our side; the operator's log says what."
            )

    def payload_for(
        self, taken: Taken, outcome: WorkOutput | WorkError, run_ms: float, spent: Spent, *, joined: bool
    ) -> bytes:
        if not isinstance(outcome, WorkOutput):
            return write_error(outcome)
        try:
            spent_ms = _spent_ms(spent, taken.load_s)
            payload = write_answer(LaneAnswer(outcome, taken.queue_s * 1000, run_ms, spent_ms, joined=joined))
        except (TypeError, ValueError) as error:
            return write_error(ModelFailed("model_output_invalid", f"the answer cannot be written: {error}"))
        if len(payload) > self._limits.answer_bytes:
            said = f"the answer has {len(payload)} bytes; at most {self._limits.answer_bytes} fit"
            return write_error(ModelFailed("model_output_too_large", said))
        return payload

    def _payload_of(self, run: Run) -> bytes | memoryview:
        for taken in list(run.members.values()):
            if taken.envelope.payload is not None:
                return taken.envelope.payload
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


def _spent_ms(spent: Spent, load_s: float) -> SpentMs:
    """`load_s`: what passed before the worker took the request."""
    return SpentMs((spent.load_s + load_s) * 1000, spent.batch_s * 1000, spent.infer_s * 1000)


def told(outcome: WorkOutput | WorkError) -> str:
    """How a run ended, as it is counted."""
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
