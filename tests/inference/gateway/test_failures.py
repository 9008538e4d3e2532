"""Test the refusals that a caller gets for the errors of a model or of the RPC."""

import pytest

from inference.core.contracts import WorkRefused
from inference.core.errors import DeadlinePassed, ModelFailed, ModelOverloaded
from inference.gateway.failures import refusal_of
from inference.rpc.errors import LaneOverloaded, LaneUnavailable, NoWorker, WorkerGone


@pytest.mark.parametrize(
    ("error", "code", "pause_s"),
    [
        (WorkRefused("invalid_tensor", "no"), "invalid_tensor", None),
        (DeadlinePassed("late"), "deadline_exceeded", None),
        (ModelFailed("model_run_failed", "no"), "model_run_failed", None),
        (ModelFailed("model_unloaded", "gone", retryable=True), "model_unloaded", 1),
        (ModelOverloaded("full"), "overloaded", 1),
        (LaneUnavailable("away"), "inference_unavailable", 1),
        (NoWorker("none", retry_after_s=95), "inference_unavailable", 95),
        (WorkerGone("m@1"), "inference_unavailable", 1),
        (LaneOverloaded("full", waiting=9, wait_s=None), "overloaded", 1),
        (LaneOverloaded("full", waiting=9, wait_s=7.4), "overloaded", 7),
        (LaneOverloaded("full", waiting=9, wait_s=0.01), "overloaded", 1),
        (LaneOverloaded("full", waiting=9, wait_s=9000.0), "overloaded", 60),
    ],
)
def test_an_error_keeps_its_code_and_says_when_to_come_again(
    error: WorkRefused | ModelFailed, code: str, pause_s: int | None
) -> None:
    refusal = refusal_of(error)
    assert (refusal.code, refusal.detail) == (code, error.detail)
    assert refusal.extra.get("retry_after_s") == pause_s
