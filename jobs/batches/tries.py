"""Decides how often a line is tried that failed for no fault of its own, and how long it waits in between."""

import errno

from inference.core.errors import DeadlinePassed, ModelFailed, ModelOverloaded
from inference.registry.errors import ModelPaused
from inference.rpc.errors import LaneUnavailable, WorkerGone
from tenants.core.errors import DomainError

FEW = 4
MAX_TRIES = 8
"""The tries of one task, without those that were waited out and those that a line caused."""
STALLED_S = 45.0
"""Seconds without any response while the model is unavailable, after which others take over the slots."""
PAUSED_AGAIN_S = 10.0
STALLED_AGAIN_S = 30.0
_FULL = (errno.ENOSPC, errno.EDQUOT)
LONGEST_PAUSE_S = 30.0


def max_tries(error: DomainError) -> int | None:
    """Return how often a line is tried. None means as long as its batch lives: what it waits for comes back, and says
    nothing about the line.
    """
    cause = error.__cause__
    match cause:
        case WorkerGone() | DeadlinePassed():
            # The line itself may be the cause.
            return FEW
        case LaneUnavailable() | ModelOverloaded():
            return None
        case ModelFailed():
            return FEW if cause.retryable else 1
    return None if isinstance(error, ModelPaused) or "retry_after_s" in error.extra else 1


def give_place_s(error: DomainError, stalled_s: float) -> float | None:
    """Return for how long a batch whose model is unavailable leaves its slots to others. Return None while it is worth
    waiting.
    """
    if isinstance(error, ModelPaused):
        return PAUSED_AGAIN_S
    return STALLED_AGAIN_S if stalled_s >= STALLED_S else None


def task_pause_s(tries: int) -> float:
    """Return the pause before a task is tried again. Eight tries take some ten minutes, which gives an operator time to
    free storage.
    """
    return min(300.0, 5.0 * float(2 ** (tries - 1)))


def is_full(error: BaseException) -> bool:
    """Return whether storage is full. No other try helps unless someone frees storage."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    return isinstance(error, DomainError) and error.code == "storage_full"


def pause_s(tries: int, error: DomainError, chance: float) -> float:
    """Return the pause before a line is tried again. `chance`, from 0 to 1, spreads lines that failed together."""
    asked_s = float(str(error.extra.get("retry_after_s", 0)))
    grown_s = min(LONGEST_PAUSE_S, 0.25 * float(2 ** min(tries, 10)))
    return min(LONGEST_PAUSE_S, max(asked_s, grown_s)) * (0.5 + chance / 2)
