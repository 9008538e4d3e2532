"""How a pipeline calls its steps: in this process, through the engine, each failure named after its step."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from inference.contracts import Json, VersionSpec, WorkInput, WorkOutput, WorkRefused
from inference.runtime.errors import ModelFailed, StepFailed


class StepRunner(Protocol):
    """The engine, as a pipeline sees it."""

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput: ...


def step_spec(pipeline: VersionSpec, step: str) -> VersionSpec:
    try:
        return pipeline.steps[step]
    except KeyError:
        raise StepFailed(
            step, "pipeline_incomplete", f"{pipeline.key} does not say which version to run"
        ) from None


def run_step(
    runner: StepRunner, pipeline: VersionSpec, step: str, work: WorkInput, parameters: Mapping[str, Json]
) -> WorkOutput:
    with _named(step):
        return runner.run(step_spec(pipeline, step), work, parameters)


@contextmanager
def _named(step: str) -> Iterator[None]:
    try:
        yield
    except StepFailed:
        raise
    except WorkRefused as refusal:
        raise WorkRefused(refusal.code, f"step '{step}': {refusal.detail}") from refusal
    except ModelFailed as failure:
        raise StepFailed(step, failure.code, failure.detail, retryable=failure.retryable) from failure
    except Exception as error:
        raise StepFailed(step, "step_crashed", f"{type(error).__name__}: {error}", retryable=True) from error
