from collections.abc import Mapping

import pytest

from inference.contracts import Json, TextInput, VersionSpec, WorkInput, WorkOutput, WorkRefused
from inference.pipelines.steps import run_step
from inference.runtime.errors import ModelFailed, StepFailed

MEMBER = VersionSpec("embed", 1, "b", "embed", {})
PIPELINE = VersionSpec("parse", 1, "a", "parse", {}, steps={"embed": MEMBER})
WORK = TextInput(("a",), single=True)


class FailingRunner:
    def __init__(self, error: Exception) -> None:
        self._error = error

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput:
        raise self._error


def test_refusal_of_a_step_stays_a_refusal_and_names_the_step() -> None:
    with pytest.raises(WorkRefused) as refusal:
        run_step(FailingRunner(WorkRefused("input_empty", "the text is empty")), PIPELINE, "embed", WORK, {})
    assert (refusal.value.code, refusal.value.detail) == ("input_empty", "step 'embed': the text is empty")


@pytest.mark.parametrize("retryable", [True, False])
def test_failure_of_a_model_keeps_its_code_and_names_the_step(retryable: bool) -> None:
    error = ModelFailed("model_memory_busy", "all in use", retryable=retryable)
    with pytest.raises(StepFailed) as failure:
        run_step(FailingRunner(error), PIPELINE, "embed", WORK, {})
    assert (failure.value.code, failure.value.step, failure.value.retryable) == (
        "model_memory_busy",
        "embed",
        retryable,
    )
    assert failure.value.detail == "step 'embed': all in use"


def test_crash_of_a_step_names_the_step_and_may_be_tried_again() -> None:
    with pytest.raises(StepFailed, match="step_crashed: step 'embed': ZeroDivisionError: by zero") as failure:
        run_step(FailingRunner(ZeroDivisionError("by zero")), PIPELINE, "embed", WORK, {})
    assert failure.value.retryable


def test_step_without_a_version_is_named() -> None:
    with pytest.raises(StepFailed, match="pipeline_incomplete: step 'ocr': parse@1"):
        run_step(FailingRunner(AssertionError()), PIPELINE, "ocr", WORK, {})


def test_inner_pipeline_names_the_step_that_failed_itself() -> None:
    inner = StepFailed("ocr", "model_run_failed", "out of memory")
    with pytest.raises(StepFailed, match="step 'ocr': out of memory") as failure:
        run_step(FailingRunner(inner), PIPELINE, "embed", WORK, {})
    assert failure.value.step == "ocr"
