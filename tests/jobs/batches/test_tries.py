"""Which failures are waited out, which are tried again, and which are the line's answer."""

import pytest

from inference.contracts import WorkRefused
from inference.errors import DeadlinePassed, ModelFailed, ModelOverloaded
from inference.gateway.failures import refusal_of
from inference.lane.errors import LaneUnavailable, WorkerGone
from inference.registry.errors import ModelNotFound, ModelPaused
from jobs.batches.tries import FEW, LONGEST_PAUSE_S, most_tries, pause_s
from tenants.asgi.threads import Overloaded
from tenants.errors import DatabaseAway, DomainError


def raised(cause: WorkRefused | ModelFailed) -> DomainError:
    try:
        raise refusal_of(cause) from cause
    except DomainError as error:
        return error


@pytest.mark.parametrize(
    ("error", "most"),
    [
        (raised(ModelOverloaded("full")), None),
        (raised(LaneUnavailable("away")), None),
        (ModelPaused("paused"), None),
        (Overloaded("full", extra={"retry_after_s": 1}), None),
        (DatabaseAway("away", extra={"retry_after_s": 1}), None),
        (raised(WorkerGone("embed@1")), FEW),
        (raised(DeadlinePassed("late")), FEW),
        (raised(ModelFailed("model_load_failed", "no", retryable=True)), FEW),
        (raised(ModelFailed("model_run_failed", "no")), 1),
        (raised(WorkRefused("input_empty", "no")), 1),
        (ModelNotFound("no"), 1),
        (DomainError("no", code="invalid_request"), 1),
    ],
    ids=lambda one: type(getattr(one, "__cause__", None) or one).__name__,
)
def test_what_a_failure_is_worth(error: DomainError, most: int | None) -> None:
    assert most_tries(error) == most


def test_pauses_grow_to_a_bound_and_are_never_shorter_than_half_of_what_was_asked() -> None:
    plain, asked = DomainError("no"), DomainError("no", extra={"retry_after_s": 20})
    pauses = [pause_s(tries, plain, 1.0) for tries in range(1, 30)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_S
    assert pause_s(1, asked, 0.0) == 10.0
    assert pause_s(1, DomainError("no", extra={"retry_after_s": 900}), 1.0) == LONGEST_PAUSE_S
