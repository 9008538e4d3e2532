"""The shapes of constants that a graph makes from constants, as far as they matter for the axis of the rows."""

from math import prod

from inference.runtime.row_proof.elementwise import broadcast_sizes
from inference.runtime.row_proof.layouts import numbers_of
from inference.runtime.row_proof.names import BROADCAST, UNARY
from inference.runtime.row_proof.outline import Use
from inference.runtime.row_proof.values import Fixed, Shape

_SAME = UNARY | {"Clip", "CumSum", "DequantizeLinear", "QuantizeLinear", "Softmax", "Trilu"}
_SAME_RANK = frozenset(["Concat", "Pad", "Slice", "Tile"])


def fixed_shape(use: Use) -> Shape | None:
    shapes = [one.shape for one in use.inputs if isinstance(one, Fixed)]
    first = shapes[0] if shapes else None
    operator = use.node.operator
    if operator == "Range":
        return (None,)
    if operator in ("ConstantOfShape", "Expand"):
        return _wanted(use, first)
    if first is None:
        return None
    if operator in BROADCAST:
        known = [shape for shape in shapes if shape is not None]
        return broadcast_sizes(known) if len(known) == len(shapes) else None
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
            return tuple(first[place] for place in use.attribute("perm") or range(len(first))[::-1])
        case "Unsqueeze":
            return _unsqueezed(first, numbers_of(use, 1, "axes") or ())
        case "Squeeze":
            axes = numbers_of(use, 1, "axes") or ()
            gone = {axis % len(first) for axis in axes} if first else set()
            return tuple(size for place, size in enumerate(first) if place not in gone) if gone else None
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
    return tuple(1 if place in added else next(left) for place in range(rank))


def _reshaped(first: Shape, wanted: tuple[int, ...]) -> Shape | None:
    if not wanted or wanted.count(-1) > 1 or any(size == 0 for size in wanted):
        return None
    sizes = [size for size in first if size is not None]
    whole = prod(sizes) if len(sizes) == len(first) else None
    left = None if whole is None else whole // max(1, prod(size for size in wanted if size > 0))
    return tuple(left if size == -1 else size for size in wanted)
