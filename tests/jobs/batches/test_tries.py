"""Tests of which failures are waited out, which are tried again, and which become the response to the line."""

import errno

import pytest

from inference.core.contracts import WorkRefused
from inference.core.errors import DeadlinePassed, ModelFailed, ModelOverloaded
from inference.gateway.failures import refusal_of
from inference.registry.errors import ModelNotFound, ModelPaused
from inference.rpc.errors import LaneUnavailable, WorkerGone
from jobs.batches.tries import (
    FEW,
    LONGEST_PAUSE_S,
    MAX_TRIES,
    PAUSED_AGAIN_S,
    STALLED_AGAIN_S,
    STALLED_S,
    give_place_s,
    is_full,
    max_tries,
    pause_s,
    task_pause_s,
)
from jobs.core.errors import StorageUnavailable
from tenants.core.asgi.threads import Overloaded
from tenants.core.errors import DatabaseUnavailable, DomainError


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
        (DatabaseUnavailable("away", extra={"retry_after_s": 1}), None),
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
    assert max_tries(error) == most


def test_places_are_given_to_others_while_the_model_is_away() -> None:
    away = raised(LaneUnavailable("away"))
    assert give_place_s(ModelPaused("paused"), 0.0) == PAUSED_AGAIN_S
    assert give_place_s(away, STALLED_S - 1) is None
    assert give_place_s(away, STALLED_S) == STALLED_AGAIN_S


def test_a_task_is_tried_for_minutes_and_not_for_hours() -> None:
    pauses = [task_pause_s(tries) for tries in range(1, MAX_TRIES)]
    assert pauses == sorted(pauses)
    assert 300 < sum(pauses) < 1800


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "full"), True),
        (OSError(errno.EIO, "broken"), False),
        (StorageUnavailable("full", code="storage_full"), True),
        (StorageUnavailable("away"), False),
        (DatabaseUnavailable("away"), False),
    ],
)
def test_a_full_disk_is_known_from_one_that_is_away(error: Exception, full: bool) -> None:
    assert is_full(error) is full


def test_pauses_grow_to_a_bound_and_are_never_shorter_than_half_of_what_was_asked() -> None:
    plain, asked = DomainError("no"), DomainError("no", extra={"retry_after_s": 20})
    pauses = [pause_s(tries, plain, 1.0) for tries in range(1, 30)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_S
    assert pause_s(1, asked, 0.0) == 10.0
    assert pause_s(1, DomainError("no", extra={"retry_after_s": 900}), 1.0) == LONGEST_PAUSE_S
