"""Says before a run whether a model looks at the picture of a page that has text of its own."""

from collections.abc import Callable

from inference.core.contracts import VersionSpec
from inference.pipelines.graph import Block, BranchStep, Comparison, Graph, InputIs, ModelStep, OperationStep, Step
from inference.pipelines.operations import OPERATIONS
from inference.runtime.parameters import DOCUMENT, GRAPH

KNOWN = {"has_text": True, "has_scans": False}
"""The fields of a page with text alone."""
BLIND_RUNTIMES = frozenset({"embed"})
"""The runtimes that look at no picture."""


def looks_at_picture(spec: VersionSpec, graph_of: Callable[[VersionSpec], Graph]) -> bool:
    """Return False if no run on a page with text alone looks at the page's picture.

    As long as no step has looked at a picture, every page in the run has text, so branches on `has_text` are known.
    """
    if spec.runtime != GRAPH:
        return spec.runtime not in BLIND_RUNTIMES
    return _block_looks(graph_of(spec).block, lambda role: looks_at_picture(spec.steps[role], graph_of))


def _block_looks(block: Block, member_looks: Callable[[str], bool]) -> bool:
    return any(_step_looks(step, member_looks) for step in block.steps)


def _step_looks(step: Step, member_looks: Callable[[str], bool]) -> bool:
    match step:
        case ModelStep():
            return member_looks(step.role)
        case OperationStep():
            return OPERATIONS[step.operation].looks_at_picture
    return any(_block_looks(side, member_looks) for side in _sides(step))


def _sides(step: BranchStep) -> tuple[Block, ...]:
    """Return the sides that a document's page with text may take."""
    match step.condition:
        case InputIs(kind):
            return (step.then,) if kind == DOCUMENT else (step.otherwise,)
        case Comparison(value, "is", bool(expected)) if (field := value.path.rpartition(".")[2]) in KNOWN:
            return (step.then,) if expected == KNOWN[field] else (step.otherwise,)
    return step.then, step.otherwise
