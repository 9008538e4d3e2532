import pytest

from inference.core.contracts import VersionSpec, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded, StepFailed
from inference.pipelines.steps import member_of, named

PIPELINE = VersionSpec("parse", 1, "a", "parse", {}, steps={"embed": VersionSpec("embed", 1, "b", "embed", {})})


def failing(error: Exception, step: str = "embed") -> None:
    with named(step):
        raise error


def test_refusal_of_a_step_stays_a_refusal_and_names_the_step() -> None:
    with pytest.raises(WorkRefused) as refusal:
        failing(WorkRefused("input_empty", "the text is empty"))
    assert (refusal.value.code, refusal.value.detail) == ("input_empty", "step 'embed': the text is empty")


@pytest.mark.parametrize("retryable", [True, False])
def test_failure_of_a_model_keeps_its_code_and_names_the_step(retryable: bool) -> None:
    with pytest.raises(StepFailed) as failure:
        failing(ModelFailed("model_memory_busy", "all in use", retryable=retryable))
    assert (failure.value.code, failure.value.step, failure.value.retryable) == (
        "model_memory_busy",
        "embed",
        retryable,
    )
    assert failure.value.detail == "step 'embed': all in use"


OF_THE_INPUT = [
    ZeroDivisionError("by zero"),
    ValueError("no shape"),
    IndexError("out of it"),
    TypeError("no"),
]
OF_THE_MACHINE = [MemoryError("none left"), OSError("no disk"), RuntimeError("no thread")]


@pytest.mark.parametrize("crash", [*OF_THE_INPUT, *OF_THE_MACHINE])
def test_crash_names_the_step_and_is_tried_again_if_it_may_be_the_machines(crash: Exception) -> None:
    says = f"step_crashed: step 'embed': {type(crash).__name__}: {crash}"
    with pytest.raises(StepFailed, match=says) as failure:
        failing(crash)
    assert failure.value.retryable == (crash in OF_THE_MACHINE)


@pytest.mark.parametrize("kind", [ModelOverloaded, DeadlinePassed])
def test_what_is_about_the_whole_call_stays_what_it_is_and_names_the_step(
    kind: type[ModelOverloaded | DeadlinePassed],
) -> None:
    with pytest.raises(kind, match="step 'embed': too much"):
        failing(kind("too much"))


def test_end_of_a_canceled_call_is_no_failure_of_a_step() -> None:
    with pytest.raises(CallCanceled):
        failing(CallCanceled())


def test_role_without_a_version_is_named() -> None:
    with pytest.raises(StepFailed, match=r"pipeline_incomplete: step 'read': parse@1 does not say which .* 'ocr'"):
        member_of(PIPELINE, "ocr", "read")


def test_inner_pipeline_names_the_step_that_failed_itself() -> None:
    with pytest.raises(StepFailed, match="step 'ocr': out of memory") as failure:
        failing(StepFailed("ocr", "model_run_failed", "out of memory"))
    assert failure.value.step == "ocr"
