"""Calls of pipeline steps through the engine in this process. Each failure names its step."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from inference.core.calls import Call
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded, StepFailed

_OF_THE_INPUT = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError)
"""Errors that the same input causes again. Other errors may come from the machine or the storage."""


class InputFailed(Exception):
    """The caller's input could not be read. The caller knows such errors, and they belong to no step."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class StepRunner(Protocol):
    """The engine as a pipeline uses it."""

    def run(
        self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call
    ) -> WorkOutput: ...


def member_of(pipeline: VersionSpec, role: str, step: str) -> VersionSpec:
    try:
        return pipeline.steps[role]
    except KeyError:
        raise StepFailed(
            step, "pipeline_incomplete", f"{pipeline.key} does not say which version is its '{role}'"
        ) from None


@contextmanager
def named(step: str) -> Iterator[None]:
    try:
        yield
    except (StepFailed, InputFailed, CallCanceled):
        raise
    except (DeadlinePassed, ModelOverloaded) as failure:
        # The caller distinguishes these from other failures.
        raise type(failure)(f"step '{step}': {failure.detail}") from failure
    except WorkRefused as refusal:
        raise WorkRefused(refusal.code, f"step '{step}': {refusal.detail}") from refusal
    except ModelFailed as failure:
        raise StepFailed(step, failure.code, failure.detail, retryable=failure.retryable) from failure
    except Exception as error:
        retryable = not isinstance(error, _OF_THE_INPUT)
        raise StepFailed(
            step, "step_crashed", f"{type(error).__name__}: {error}", retryable=retryable
        ) from error
