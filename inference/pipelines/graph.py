"""Pipelines as they are declared: named steps in order, each with inputs from earlier steps, and one output."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from inference.core.contracts import Json
from inference.runtime.parameters import Parameter
from inference.runtime.tensors import TensorSpec

INPUT, PARAMETERS = "input", "parameters"
"""Names that no step can have."""


class GraphInvalid(ValueError):
    """The declaration is invalid. The message gives the position and the reason."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a value: the name of its source and the path within it."""

    source: str
    """`input`, `parameters` or the name of an earlier step."""
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
class SearchMember:
    """The member that embeds the `text` of the answer for the search, after the answer is out."""

    role: str


@dataclass(frozen=True, slots=True)
class ModelStep:
    name: str
    role: str
    """The role of a member version."""
    inputs: Mapping[str, Source]
    parameters: Mapping[str, Source]

    @property
    def is_settled(self) -> bool:
        """Return whether all inputs are constant. Such a step runs once for as long as its member stays the same."""
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
    """The condition that the caller sent this kind of work. It decides the type of `input` on each side."""

    kind: str


@dataclass(frozen=True, slots=True)
class Comparison:
    value: Reference
    test: str
    """`is`, `at_least` or `below`."""
    constant: Json


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A step that runs one of two blocks and returns the result of that block."""

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
    """The names that must have values before a step can run, by step."""

    def walk(self) -> Iterator[Step]:
        """Yield every step, including those inside branches."""
        for step in self.steps:
            yield step
            if isinstance(step, BranchStep):
                yield from step.then.walk()
                yield from step.otherwise.walk()


@dataclass(frozen=True, slots=True)
class Graph:
    accepts: tuple[str, ...]
    documents: tuple[str, ...]
    """The kinds of documents that are read, if documents are accepted."""
    parameters: tuple[Parameter, ...]
    tensors: tuple[TensorSpec, ...]
    """The tensors that callers send, if tensors are accepted."""
    block: Block
    search_by: "Reference | SearchMember | None"
    """The embedding of the page's text that is stored for the search, or the member that makes it afterwards."""

    @property
    def roles(self) -> frozenset[str]:
        in_steps = frozenset(step.role for step in self.block.walk() if isinstance(step, ModelStep))
        return in_steps | {self.search_by.role} if isinstance(self.search_by, SearchMember) else in_steps

    def parameters_json(self) -> tuple[Mapping[str, Json], ...]:
        return tuple(asdict(parameter) for parameter in self.parameters)

    def signature(self) -> dict[str, Json]:
        """Return the inputs that callers send, in the form of the registry."""
        return {"inputs": [tensor.as_json() for tensor in self.tensors], "outputs": []}


def references(source: Source) -> Iterator[Reference]:
    match source:
        case Reference():
            yield source
        case Fields():
            for nested in source.sources.values():
                yield from references(nested)


def needs(step: Step) -> frozenset[str]:
    """Return the names that must have values before this step, with everything inside it, can run."""
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
