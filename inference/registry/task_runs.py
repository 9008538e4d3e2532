"""The run of a claimed task by its kind, and what its errors mean for it."""

from collections.abc import Callable, Mapping

import structlog

from inference.core.calls import Call
from inference.core.errors import CallCanceled
from inference.factory.samples import SampleInvalid
from inference.registry import file_cache
from inference.registry.admission import ModelRefused
from inference.registry.errors import LeaseLost, SamplesInvalid, TaskFailed
from inference.registry.measurements import measure
from inference.registry.models import ModelTask
from inference.registry.optimization import optimize
from inference.registry.replays import replay
from inference.registry.tasks.claims import (
    MAX_ATTEMPTS,
    TaskClaim,
    cancel_claimed,
    fail_task,
    note_progress,
    put_off,
)
from inference.registry.validation import validate
from inference.sandbox import SandboxUnavailable
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import DomainError
from tenants.core.progress import Progress

log = structlog.get_logger(__name__)
RETRY_S = 10.0
TaskWork = Callable[[TaskClaim, Progress, Call], None]
WORK: Mapping[str, TaskWork] = {
    ModelTask.Kind.VALIDATE: validate,
    ModelTask.Kind.MEASURE: measure,
    ModelTask.Kind.REPLAY: replay,
    ModelTask.Kind.OPTIMIZE: lambda claim, _progress, call: optimize(claim, call),
}
"""The work of each kind. It ends its task in the transaction that writes its result."""


def run_task(claim: TaskClaim, call: Call, *, passes: Callable[[Exception], bool]) -> str:
    """Run the task and return what became of it, for the log. `passes` tells an error that another try may not meet."""
    if claim.attempt > MAX_ATTEMPTS:
        fail_task(claim, TaskFailed.code, f"{MAX_ATTEMPTS} workers ended in the middle of this task.")
        return "given up"
    try:
        with file_cache.pins():
            WORK[claim.kind](claim, Progress(lambda stage: note_progress(claim, str(stage))), call)
    except LeaseLost:
        return "lost"
    except CallCanceled:
        return _stopped(claim)
    except Exception as error:
        return _ended_by(claim, error, passes=passes)
    return "done"


def _ended_by(claim: TaskClaim, error: Exception, *, passes: Callable[[Exception], bool]) -> str:
    if isinstance(error, SandboxUnavailable):
        log.warning("model_task_put_off", task_id=str(claim.task_id), error=str(error))
        put_off(claim, RETRY_S, counts=False)
        return "put off"
    if passes(error) and claim.attempt < MAX_ATTEMPTS:
        log.warning("model_task_put_off", task_id=str(claim.task_id), error=str(error))
        put_off(claim, RETRY_S)
        return "put off"
    if isinstance(error, ModelRefused | DomainError):
        fail_task(claim, error.code, error.detail)
    elif isinstance(error, SampleInvalid):
        fail_task(claim, SamplesInvalid.code, str(error))
    else:
        log.error("model_task_failed", task_id=str(claim.task_id), kind=claim.kind, exc_info=error)
        fail_task(claim, TaskFailed.code, "An internal error ended this task.")
    return "failed"


def _stopped(claim: TaskClaim) -> str:
    """End a task that was canceled, or give it back if this worker only stops."""
    with operator_work():
        canceled = claim.held.filter(canceling=True).exists()
    if canceled:
        cancel_claimed(claim)
        return "canceled"
    put_off(claim, 0.0, counts=False)
    return "handed back"
