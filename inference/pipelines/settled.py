"""Calls of member versions by steps. A step with only constant inputs is run once."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from inference.core.calls import Call, own_call
from inference.core.contracts import VersionSpec
from inference.core.spent import Spent
from inference.pipelines.graph import Constant, ModelStep, Source
from inference.pipelines.members import value_of, work_for
from inference.pipelines.operations.values import Value
from inference.pipelines.steps import StepRunner, member_of
from inference.runtime.made_once import OncePerKey


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
    fed_by = {name: _constant(one) for name, one in (*step.inputs.items(), *step.parameters.items())}
    return json.dumps(fed_by, sort_keys=True)
