"""The limits of an account's pipeline. Its steps run in the process that serves others, so each must be small. Pure."""

import json
from collections.abc import Iterator

from inference.pipelines.graph import (
    Block,
    BranchStep,
    Comparison,
    Constant,
    Fields,
    Graph,
    GraphInvalid,
    ModelStep,
    OperationStep,
    Source,
)

MAX_MODEL_STEPS = 8
MAX_CONSTANTS = 32 * 1024
"""The most characters of all constants together, as JSON."""
MAX_PIXELS = 2048 * 2048
"""The most pixels of all tensors that are made of pictures."""
MAX_VALUES = 64
"""The most values in outputs."""
OPERATIONS = frozenset(
    {
        "picture_tensor",
        "text_page",
        "softmax",
        "top_labels",
        "keep_confident",
        "text_of_lines",
    }
)
"""The operations whose time and memory are bounded by what they are given."""


def check_account_limits(graph: Graph) -> None:
    """Raise GraphInvalid, with the step where there is one, if the pipeline may only be an operator's."""
    if graph.search_by is not None:
        raise GraphInvalid("pipelines of accounts do not have `search_by`")
    for step in graph.block.walk():
        if isinstance(step, OperationStep) and step.operation not in OPERATIONS:
            there = ", ".join(sorted(OPERATIONS))
            raise GraphInvalid(
                f"step '{step.name}': pipelines of accounts do not have the operation '{step.operation}'; they may "
                f"have {there}"
            )
        if isinstance(step, ModelStep) and step.is_settled:
            raise GraphInvalid(
                f"step '{step.name}': all its inputs are constants; in a pipeline of an account one is not"
            )
    _check("model steps", sum(isinstance(step, ModelStep) for step in graph.block.walk()), MAX_MODEL_STEPS)
    _check("pixels of tensors that are made of pictures", _pixels(graph), MAX_PIXELS)
    sources = list(_sources(graph.block))
    constants = [source.value for source in sources if isinstance(source, Constant)]
    settings = [step.parameters for step in graph.block.walk() if isinstance(step, OperationStep)]
    _check("characters of constants", sum(len(json.dumps(value)) for value in (*constants, *settings)), MAX_CONSTANTS)
    _check("values in outputs", sum(_values(output) for output in _outputs(graph.block)), MAX_VALUES)


def _check(what: str, found: int, most: int) -> None:
    if found > most:
        raise GraphInvalid(f"there are {found} {what}; a pipeline of an account may have {most}")


def _pixels(graph: Graph) -> int:
    sizes = (step.parameters for step in graph.block.walk() if isinstance(step, OperationStep))
    return sum(size["width"] * size["height"] for size in sizes if "width" in size)


def _outputs(block: Block) -> Iterator[Source]:
    yield block.output
    for step in block.steps:
        if isinstance(step, BranchStep):
            yield from _outputs(step.then)
            yield from _outputs(step.otherwise)


def _sources(block: Block) -> Iterator[Source]:
    """Yield every source, including those inside branches and inside other sources."""
    yield from _inside(block.output)
    for step in block.steps:
        match step:
            case ModelStep():
                for source in (*step.inputs.values(), *step.parameters.values()):
                    yield from _inside(source)
            case OperationStep():
                for source in step.inputs.values():
                    yield from _inside(source)
            case BranchStep():
                if isinstance(step.condition, Comparison):
                    yield Constant(step.condition.constant)
                yield from _sources(step.then)
                yield from _sources(step.otherwise)


def _inside(source: Source) -> Iterator[Source]:
    yield source
    if isinstance(source, Fields):
        for nested in source.sources.values():
            yield from _inside(nested)


def _values(source: Source) -> int:
    return sum(map(_values, source.sources.values())) if isinstance(source, Fields) else 1
