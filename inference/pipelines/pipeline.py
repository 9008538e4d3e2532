"""The runtime of declared pipelines. They run in the page's process, through the engine with their members."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from inference.core.calls import Call, own_call
from inference.core.contracts import (
    Embedding,
    Json,
    PageInput,
    Pixels,
    TensorInput,
    TextInput,
    TokenInput,
    Units,
    VersionSpec,
    WorkInput,
    WorkOutput,
    WorkRefused,
)
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed
from inference.pipelines.declaration import read_graph
from inference.pipelines.graph import INPUT, PARAMETERS, Graph, GraphInvalid, ModelStep, Reference, SearchMember
from inference.pipelines.operations.values import Value, arrays_in, as_json
from inference.pipelines.page_run import IN_THIS_PROCESS, PageRun, SideBySide
from inference.pipelines.steps import InputFailed, SettledSteps, StepRunner, named
from inference.runtime.made_once import OncePerKey
from inference.runtime.tensor_requests import validate_input
from inference.runtime.tensors import MAX_OUTPUT_VALUES


class GraphPipeline:
    """A pipeline whose models are all members' sessions in the same host, so that a page never leaves its worker."""

    session_roles: tuple[str, ...] = ()
    may_use_gpu = True

    def __init__(
        self,
        runner: StepRunner,
        graph_of: Callable[[VersionSpec], Graph] | None = None,
        beside: SideBySide = IN_THIS_PROCESS,
    ) -> None:
        self._runner = runner
        self._graph_of = graph_of or DeclaredGraphs()
        self._beside = beside
        self._settled = SettledSteps(runner)

    def load(self, spec: VersionSpec) -> None:
        for step in self._graph_of(spec).block.walk():
            if isinstance(step, ModelStep) and step.is_settled:
                with named(step.name):
                    self._settled.get(spec, step, Call())

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput:
        graph = self._graph_of(spec)
        validate_input(graph.signature(), work)
        run_s = spec.config.get("run_s")
        with _own_failures(work) as given, _in_time(spec, call), own_call(call, within_s=run_s) as own:
            page_run = PageRun(self._runner, self._settled, self._beside, spec, given, own)
            page_run.values = {INPUT: _input_value(given), PARAMETERS: dict(parameters)}
            result = page_run.block(graph.block)
            kept = page_run.value(graph.search_by) if isinstance(graph.search_by, Reference) else None
        _check_size(result)
        return WorkOutput(
            as_json(result),
            Units(pages=1, tokens=page_run.tokens),
            kept if isinstance(kept, Embedding) else None,
            steps=page_run.seconds,
            embedded_by=graph.search_by.role if isinstance(graph.search_by, SearchMember) else "",
        )


@contextmanager
def _in_time(spec: VersionSpec, call: Call) -> Iterator[None]:
    """Report that the pipeline used up its own time, unless the caller's time has ended, too."""
    try:
        yield
    except DeadlinePassed as late:
        call.check()
        raise ModelFailed("model_timeout", f"{spec.key} took longer than {spec.config.get('run_s')} s") from late


def _check_size(result: Value) -> None:
    values = sum(array.size for array in arrays_in(result))
    if values > MAX_OUTPUT_VALUES:
        raise ModelFailed("model_output_too_large", f"the output has {values} values; at most {MAX_OUTPUT_VALUES} fit")


@contextmanager
def _own_failures(work: WorkInput) -> Iterator[WorkInput]:
    """Report failures to read the page's picture, which a step reads, as if it had been read before the run."""
    try:
        yield replace(work, load_pixels=_marked(work.load_pixels)) if isinstance(work, PageInput) else work
    except InputFailed as failed:
        raise failed.error from failed.error.__cause__


def _marked(load: Callable[[], Pixels] | None) -> Callable[[], Pixels] | None:
    if load is None:
        return None

    def load_pixels() -> Pixels:
        try:
            return load()
        except CallCanceled:
            raise
        except Exception as error:
            raise InputFailed(error) from error

    return cache(load_pixels)


def _input_value(work: WorkInput) -> Value:
    match work:
        case TextInput(single=True):
            return work.texts[0]
        case TextInput():
            return work.texts
        case TensorInput():
            return dict(work.tensors)
        case TokenInput():
            raise WorkRefused("input_not_accepted", "a pipeline reads text, not the tokens of one of its models")
    return work


class DeclaredGraphs:
    """The graphs of declared versions. A version never changes, so each graph is read once."""

    def __init__(self) -> None:
        self._graphs: OncePerKey[Graph] = OncePerKey(capacity=64)

    def __call__(self, spec: VersionSpec) -> Graph:
        return self._graphs.get(spec.digest, lambda: _read(spec))


def _read(spec: VersionSpec) -> Graph:
    try:
        return read_graph(spec.config.get("graph"))
    except GraphInvalid as error:
        raise ModelFailed("pipeline_invalid", f"{spec.key}: {error}") from error
