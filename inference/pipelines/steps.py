"""Calls of members by the steps of a pipeline. Each failure names its step."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from inference.core.calls import Call, own_call
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded, StepFailed
from inference.core.spent import Spent
from inference.pipelines.graph import Constant, ModelStep, Source
from inference.pipelines.members import value_of, work_for
from inference.pipelines.operations.values import Value
from inference.runtime.made_once import OncePerKey

_OF_THE_INPUT = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError)
"""Errors that the same input causes again. Other errors may come from the machine or the storage."""


class InputFailed(Exception):
    """The caller's input could not be read. The caller knows such errors, and they belong to no step."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class StepRunner(Protocol):
    """The engine as a pipeline uses it."""

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput: ...


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
        raise StepFailed(step, "step_crashed", f"{type(error).__name__}: {error}", retryable=retryable) from error


@dataclass(frozen=True, slots=True)
class Answered:
    """A step's value with its token count and time."""

    value: Value
    tokens: int = 0
    seconds: float = 0.0


def ask_member(
    runner: StepRunner,
    pipeline: VersionSpec,
    step: ModelStep,
    value: Callable[[Source], Value],
    call: Call,
) -> Answered:
    member = member_of(pipeline, step.role, step.name)
    inputs = {name: value(source) for name, source in step.inputs.items()}
    parameters = {name: value(source) for name, source in step.parameters.items()}
    answer = runner.run(member, work_for(member, inputs), parameters, call)
    return Answered(value_of(member, answer), answer.units.tokens)


class SettledSteps:
    """The values of steps with only constant inputs. Each is computed once for as long as the member stays the same."""

    def __init__(self, runner: StepRunner) -> None:
        self._runner = runner
        self._values: OncePerKey[Value] = OncePerKey()

    def get(self, pipeline: VersionSpec, step: ModelStep, call: Call) -> Value:
        member = member_of(pipeline, step.role, step.name)

        def make() -> Value:
            # This belongs to no caller, like a load: the caller that happens to need it first does not pay for it.
            with own_call(call, Spent()) as own:
                return ask_member(self._runner, pipeline, step, _constant, own).value

        return self._values.get(f"{member.digest}:{_constants_of(step)}", make, call)


def _constant(source: Source) -> Value:
    assert isinstance(source, Constant)
    return source.value


def _constants_of(step: ModelStep) -> str:
    fed_by = {name: _constant(input_source) for name, input_source in (*step.inputs.items(), *step.parameters.items())}
    return json.dumps(fed_by, sort_keys=True)
