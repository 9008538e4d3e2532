"""How often a line is tried that failed for no fault of its own, and how long it waits in between."""

from inference.errors import DeadlinePassed, ModelFailed, ModelOverloaded
from inference.lane.errors import LaneUnavailable, WorkerGone
from inference.registry.errors import ModelPaused
from tenants.errors import DomainError

FEW = 4
LONGEST_PAUSE_S = 30.0


def most_tries(error: DomainError) -> int | None:
    """None for as long as its batch lives: what it waits for comes back, and says nothing about the line."""
    cause = error.__cause__
    match cause:
        case WorkerGone() | DeadlinePassed():
            # Perhaps by its own doing.
            return FEW
        case LaneUnavailable() | ModelOverloaded():
            return None
        case ModelFailed():
            return FEW if cause.retryable else 1
    return None if isinstance(error, ModelPaused) or "retry_after_s" in error.extra else 1


def pause_s(tries: int, error: DomainError, chance: float) -> float:
    """`chance` from 0 to 1 spreads those that failed together."""
    asked_s = float(str(error.extra.get("retry_after_s", 0)))
    grown_s = min(LONGEST_PAUSE_S, 0.25 * float(2 ** min(tries, 10)))
    return min(LONGEST_PAUSE_S, max(asked_s, grown_s)) * (0.5 + chance / 2)
