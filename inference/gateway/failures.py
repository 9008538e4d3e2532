"""Turn the errors of a model or of the RPC into refusals with a code. One table for all paths maps each code to an HTTP
status.
"""

from inference.core.contracts import WorkRefused
from inference.core.errors import DeadlinePassed, ModelFailed, ModelOverloaded
from inference.rpc.errors import LaneOverloaded, LaneUnavailable
from tenants.core.errors import DomainError

RETRY_AFTER_S = 1
LONGEST_RETRY_AFTER_S = 60


def refusal_of(error: WorkRefused | ModelFailed) -> DomainError:
    match error:
        case WorkRefused() | DeadlinePassed():
            return DomainError(error.detail, code=error.code)
        case LaneOverloaded():
            return _again(error, "overloaded", _pause_s(error.wait_s), gate="model_queue")
        case ModelOverloaded():
            return _again(error, "overloaded", RETRY_AFTER_S, gate="model_queue")
        case LaneUnavailable():
            return _again(error, "inference_unavailable", error.retry_after_s, gate="workers")
    if error.retryable:
        return _again(error, error.code, RETRY_AFTER_S)
    return DomainError(error.detail, code=error.code)


def _again(error: ModelFailed, code: str, pause_s: int, *, gate: str = "") -> DomainError:
    return DomainError(error.detail, code=code, gate=gate, extra={"retry_after_s": pause_s})


def _pause_s(wait_s: float | None) -> int:
    """Return the seconds to wait before a retry: the time in which the calls that wait now will have been processed, at
    the RPC's present rate.
    """
    return RETRY_AFTER_S if wait_s is None else max(1, min(LONGEST_RETRY_AFTER_S, round(wait_s)))
