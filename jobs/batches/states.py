"""The states of a batch, as OpenAI names them, and of its pieces of work."""

from typing import Final

VALIDATING: Final = "validating"
FAILED: Final = "failed"
IN_PROGRESS: Final = "in_progress"
FINALIZING: Final = "finalizing"
COMPLETED: Final = "completed"
EXPIRED: Final = "expired"
CANCELLING: Final = "cancelling"
CANCELLED: Final = "cancelled"
STATUSES: Final = (
    VALIDATING,
    FAILED,
    IN_PROGRESS,
    FINALIZING,
    COMPLETED,
    EXPIRED,
    CANCELLING,
    CANCELLED,
)
UNFINISHED: Final = (VALIDATING, IN_PROGRESS, CANCELLING, FINALIZING)
CANCELLABLE: Final = (VALIDATING, IN_PROGRESS)

VALIDATE: Final = "validate"
RUN: Final = "run"
MERGE: Final = "merge"
KINDS: Final = (VALIDATE, RUN, MERGE)

QUEUED: Final = "queued"
RUNNING: Final = "running"
DONE: Final = "done"
DROPPED: Final = "dropped"
TASK_STATES: Final = (QUEUED, RUNNING, DONE, DROPPED)

SUSPENDED: Final = "suspended"
"""The state of a batch whose tenant is suspended. It is no end: work under way is handed back, and continues when the
tenant is active again.
"""

NOT_RUN: Final = {
    FAILED: ("batch_failed", "This request was not executed: the batch failed before its turn."),
    CANCELLED: ("batch_cancelled", "This request was not executed: the batch was cancelled before its turn."),
    EXPIRED: (
        "batch_expired",
        "This request could not be executed before the completion window expired.",
    ),
}
"""The error of a line that was not run, by how its batch ended."""
