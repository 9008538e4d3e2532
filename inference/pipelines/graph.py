"""Pipelines as they are declared: named steps in order, each fed by earlier ones, and one output."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from inference.core.contracts import Json
from inference.runtime.parameters import Parameter
from inference.runtime.tensors import TensorSpec

INPUT, PARAMETERS = "input", "parameters"
"""Names that no step can have."""


class GraphInvalid(ValueError):
    """The declaration is not one; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A value by the name of what gives it, and what to read off it."""

    source: str
    """`input`, `parameters` or an earlier step."""
    path: str

    def __str__(self) -> str:
        return f"{self.source}.{self.path}" if self.path else self.source


@dataclass(frozen=True, slots=True)
class Constant:
    value: Json


@dataclass(frozen=True, slots=True)
class Fields:
    """An object made of other values, picked and renamed."""

    sources: Mapping[str, "Source"]


Source = Reference | Constant | Fields


@dataclass(frozen=True, slots=True)
class ModelStep:
    name: str
    role: str
    """Of a member version."""
    inputs: Mapping[str, Source]
    parameters: Mapping[str, Source]

    @property
    def is_settled(self) -> bool:
        """Fed by nothing that changes: run once for as long as its member stays the same."""
        fed_by = (*self.inputs.values(), *self.parameters.values())
        return all(isinstance(source, Constant) for source in fed_by)


@dataclass(frozen=True, slots=True)
class OperationStep:
    name: str
    kind: str
    """`preprocess` or `postprocess`."""
    operation: str
    inputs: Mapping[str, Source]
    parameters: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class InputIs:
    """The caller sent this kind of work; decides what `input` is on either side."""

    kind: str


@dataclass(frozen=True, slots=True)
class Comparison:
    value: Reference
    test: str
    """`is`, `at_least` or `below`."""
    constant: Json


@dataclass(frozen=True, slots=True)
class BranchStep:
    """Runs one of two blocks and gives what that gives."""

    name: str
    condition: InputIs | Comparison
    then: "Block"
    otherwise: "Block"


Step = ModelStep | OperationStep | BranchStep


@dataclass(frozen=True, slots=True)
class Block:
    steps: tuple[Step, ...]
    output: Source
    needs: Mapping[str, frozenset[str]]
    """By step: the names that must be there before it can run."""

    def walk(self) -> Iterator[Step]:
        """Every step, those inside branches included."""
        for step in self.steps:
            yield step
            if isinstance(step, BranchStep):
                yield from step.then.walk()
                yield from step.otherwise.walk()


@dataclass(frozen=True, slots=True)
class Graph:
    accepts: tuple[str, ...]
    documents: tuple[str, ...]
    """The kinds that are read, where documents are accepted."""
    parameters: tuple[Parameter, ...]
    tensors: tuple[TensorSpec, ...]
    """What callers send, where tensors are accepted."""
    block: Block
    search_by: Reference | None
    """The embedding of the page's text that is kept to search by."""

    @property
    def roles(self) -> frozenset[str]:
        return frozenset(step.role for step in self.block.walk() if isinstance(step, ModelStep))

    def parameters_json(self) -> tuple[Mapping[str, Json], ...]:
        return tuple(asdict(parameter) for parameter in self.parameters)

    def signature(self) -> dict[str, Json]:
        """What callers send, as the registry keeps it."""
        return {"inputs": [tensor.as_json() for tensor in self.tensors], "outputs": []}


def references(source: Source) -> Iterator[Reference]:
    match source:
        case Reference():
            yield source
        case Fields():
            for one in source.sources.values():
                yield from references(one)


def needs(step: Step) -> frozenset[str]:
    """The names that must be there before this step, with all that is inside it, can run."""
    match step:
        case ModelStep():
            return named(*step.inputs.values(), *step.parameters.values())
        case OperationStep():
            return named(*step.inputs.values())
    condition = named(step.condition.value) if isinstance(step.condition, Comparison) else frozenset()
    return condition | _needs_of(step.then) | _needs_of(step.otherwise)


def _needs_of(block: Block) -> frozenset[str]:
    inside = frozenset(step.name for step in block.steps)
    return named(block.output).union(*map(needs, block.steps)) - inside


def named(*sources: Source) -> frozenset[str]:
    return frozenset(reference.source for source in sources for reference in references(source))
