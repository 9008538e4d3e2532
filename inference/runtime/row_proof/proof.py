"""Follows the rows of a batch through a graph, operator by operator, and decides whether they stay apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inference.runtime.row_proof.fixed_shapes import fixed_shape
from inference.runtime.row_proof.names import RANDOM
from inference.runtime.row_proof.outline import Node, Outline, Use
from inference.runtime.row_proof.rules import ALL_OUTPUTS_ALIKE, COUNTS_ROWS, RULES, SIZE_RULES
from inference.runtime.row_proof.values import CannotProve, Fixed, Known, Rows, Shape, Unproven, Value


@dataclass(frozen=True, slots=True)
class Proof:
    holds: bool
    why: str
    """The reason, such as the operator that prevents the proof."""


def prove_rows(outline: Outline) -> Proof:
    """Prove, for all values, that every row of every output depends only on the same row of the inputs."""
    if outline.own_functions:
        return Proof(False, "the file defines operators of its own")
    known: dict[str, Value] = dict(outline.constants)
    for name, shape in outline.inputs.items():
        known[name] = Rows(0, (None, *shape[1:])) if shape else Unproven(f"input '{name:.60}' has no rows")
    for node in outline.nodes:
        known.update(zip(node.outputs, _outputs(node, known, outline.opset), strict=True))
    for name in outline.outputs:
        why = _stands_in_the_way(name, known.get(name))
        if why is not None:
            return Proof(False, why)
    return Proof(True, "no operator in it works across rows")


def _stands_in_the_way(name: str, value: Value | None) -> str | None:
    match value:
        case Rows(axis=0, places=1):
            return None
        case Unproven(why=why):
            return why
    return f"output '{name:.60}' does not come by rows"


def _outputs(node: Node, known: Mapping[str, Value], opset: int) -> Sequence[Value]:
    nothing = Unproven(f"{node.operator:.60}: a second output of it is not followed")
    given = [
        known.get(name, Unproven("an input comes from nowhere")) if name else None for name in node.inputs
    ]
    unproven = next((one for one in given if isinstance(one, Unproven)), None)
    if unproven is not None:
        return [unproven] * len(node.outputs)
    use = Use(node, [one for one in given if not isinstance(one, Unproven)], opset)
    try:
        found = _followed(use)
    except CannotProve as error:
        return [Unproven(f"{node.operator:.60}: {error}")] * len(node.outputs)
    except (LookupError, TypeError, ValueError):
        return [Unproven(f"{node.operator:.60}: it is not written as the standard says")] * len(node.outputs)
    if isinstance(found, Rows | Fixed):
        alike = isinstance(found, Fixed) or node.operator in ALL_OUTPUTS_ALIKE
        return [found if place == 0 or alike else nothing for place in range(len(node.outputs))]
    return [*found, *[nothing] * (len(node.outputs) - len(found))]


def _followed(use: Use) -> Known | Sequence[Known]:
    node = use.node
    if node.nested:
        raise CannotProve("the graph within it is not followed")
    if node.operator in RANDOM:
        raise CannotProve("it draws numbers for the whole batch")
    given = [one for one in use.inputs if one is not None]
    counted = any(isinstance(one, Fixed) and one.tells_count for one in given)
    if all(isinstance(one, Fixed) for one in given) and not (counted and node.operator in COUNTS_ROWS):
        return _fixed(use, counted=counted)
    rule = RULES.get((node.domain, node.operator))
    if rule is None:
        raise CannotProve("this operator is not known to keep rows apart")
    if counted and node.operator not in COUNTS_ROWS:
        raise CannotProve("it reckons with the number of rows")
    return rule(use)


def _fixed(use: Use, *, counted: bool) -> Fixed:
    """Return the constant that follows from constants. It raises if it loses the number of rows among them."""
    rule = SIZE_RULES.get(use.node.operator) if not use.node.domain else None
    found = rule(use) if rule is not None else Fixed()
    if counted and found.values is None:
        raise CannotProve("it reckons with the number of rows")
    return found if found.shape is not None else Fixed(_shape_if_known(use), found.values)


def _shape_if_known(use: Use) -> Shape | None:
    try:
        return fixed_shape(use)
    except (CannotProve, IndexError, StopIteration):
        return None
