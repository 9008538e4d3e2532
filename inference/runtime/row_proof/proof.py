"""Follows the rows of a batch through a graph, operator by operator, and decides whether they stay apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from inference.runtime.row_proof.elementwise import broadcast_sizes
from inference.runtime.row_proof.layouts import numbers_of
from inference.runtime.row_proof.rules import (
    ALL_OUTPUTS_ALIKE,
    BROADCAST,
    COUNTS_ROWS,
    RANDOM,
    RULES,
    SIZE_RULES,
    UNARY,
)
from inference.runtime.row_proof.values import (
    CannotProve,
    Fixed,
    Known,
    Node,
    Outline,
    Rows,
    Shape,
    Unproven,
    Use,
    Value,
)

_SAME = UNARY | {"Clip", "CumSum", "DequantizeLinear", "QuantizeLinear", "Softmax", "Trilu"}
_SAME_RANK = frozenset(["Concat", "Pad", "Slice", "Tile"])


def fixed_shape(use: Use) -> Shape | None:
    shapes = [value.shape for value in use.inputs if isinstance(value, Fixed)]
    first = shapes[0] if shapes else None
    operator = use.node.operator
    if operator == "Range":
        return (None,)
    if operator in ("ConstantOfShape", "Expand"):
        return _wanted(use, first)
    if first is None:
        return None
    if operator in BROADCAST:
        shapes_found = [shape for shape in shapes if shape is not None]
        return broadcast_sizes(shapes_found) if len(shapes_found) == len(shapes) else None
    if operator in _SAME_RANK:
        return (None,) * len(first)
    return first if operator in _SAME else _moved(use, first)


def _wanted(use: Use, first: Shape | None) -> Shape | None:
    wanted = use.inputs[-1]
    sizes = wanted.sizes if isinstance(wanted, Fixed) else None
    if sizes is None:
        return None
    shape = tuple(size.number for size in sizes)
    if use.node.operator == "ConstantOfShape":
        return shape
    return None if first is None else broadcast_sizes([first, shape])


def _moved(use: Use, first: Shape) -> Shape | None:
    match use.node.operator:
        case "Transpose":
            return tuple(first[axis] for axis in use.attribute("perm") or range(len(first))[::-1])
        case "Unsqueeze":
            return _unsqueezed(first, numbers_of(use, 1, "axes") or ())
        case "Squeeze":
            axes = numbers_of(use, 1, "axes") or ()
            gone = {axis % len(first) for axis in axes} if first else set()
            return tuple(size for axis, size in enumerate(first) if axis not in gone) if gone else None
        case "Reshape":
            return _reshaped(first, numbers_of(use, 1, "shape") or ())
        case "Gather":
            indices = use.input(1)
            axis = use.attribute("axis", 0) % max(1, len(first))
            if isinstance(indices, Fixed) and indices.shape is not None:
                return (*first[:axis], *indices.shape, *first[axis + 1 :])
    return None


def _unsqueezed(first: Shape, axes: tuple[int, ...]) -> Shape:
    rank = len(first) + len(axes)
    added = {axis % rank for axis in axes}
    left = iter(first)
    return tuple(1 if axis in added else next(left) for axis in range(rank))


def _reshaped(first: Shape, wanted: tuple[int, ...]) -> Shape | None:
    if not wanted or wanted.count(-1) > 1 or any(size == 0 for size in wanted):
        return None
    sizes = [size for size in first if size is not None]
    whole = prod(sizes) if len(sizes) == len(first) else None
    left = None if whole is None else whole // max(1, prod(size for size in wanted if size > 0))
    return tuple(left if size == -1 else size for size in wanted)


@dataclass(frozen=True, slots=True)
class Proof:
    holds: bool
    why: str
    """The reason, such as the operator that prevents the proof."""


def prove_rows(outline: Outline) -> Proof:
    """Prove, for all values, that every row of every output depends only on the same row of the inputs."""
    if outline.own_functions:
        return Proof(False, "the file defines operators of its own")
    values: dict[str, Value] = dict(outline.constants)
    for name, shape in outline.inputs.items():
        values[name] = Rows(0, (None, *shape[1:])) if shape else Unproven(f"input '{name:.60}' has no rows")
    for node in outline.nodes:
        values.update(zip(node.outputs, _outputs(node, values, outline.opset), strict=True))
    for name in outline.outputs:
        why = _stands_in_the_way(name, values.get(name))
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


def _outputs(node: Node, values: Mapping[str, Value], opset: int) -> Sequence[Value]:
    nothing = Unproven(f"{node.operator:.60}: a second output of it is not followed")
    given = [values.get(name, Unproven("an input comes from nowhere")) if name else None for name in node.inputs]
    unproven = next((value for value in given if isinstance(value, Unproven)), None)
    if unproven is not None:
        return [unproven] * len(node.outputs)
    use = Use(node, [value for value in given if not isinstance(value, Unproven)], opset)
    try:
        found = _followed(use)
    except CannotProve as error:
        return [Unproven(f"{node.operator:.60}: {error}")] * len(node.outputs)
    except (LookupError, TypeError, ValueError):
        return [Unproven(f"{node.operator:.60}: it is not written as the standard says")] * len(node.outputs)
    if isinstance(found, Rows | Fixed):
        alike = isinstance(found, Fixed) or node.operator in ALL_OUTPUTS_ALIKE
        return [found if position == 0 or alike else nothing for position in range(len(node.outputs))]
    return [*found, *[nothing] * (len(node.outputs) - len(found))]


def _followed(use: Use) -> Known | Sequence[Known]:
    node = use.node
    if node.nested:
        raise CannotProve("the graph within it is not followed")
    if node.operator in RANDOM:
        raise CannotProve("it draws numbers for the whole batch")
    given = [value for value in use.inputs if value is not None]
    counted = any(isinstance(value, Fixed) and value.tells_count for value in given)
    if all(isinstance(value, Fixed) for value in given) and not (counted and node.operator in COUNTS_ROWS):
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
