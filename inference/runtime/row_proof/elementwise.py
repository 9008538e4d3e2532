"""Rules for operators that make each value from the values at its position in tensors stretched to fit."""

from collections.abc import Sequence
from dataclasses import replace

from inference.runtime.row_proof.values import CannotProve, Fixed, Known, Rows, Shape, Use


def elementwise(use: Use) -> Rows:
    given = [one for one in use.inputs if one is not None]
    first = _alike([one for one in given if isinstance(one, Rows)])
    shapes = [_shape(one, first) for one in given]
    sizes = broadcast_sizes(shapes)
    places = next((one.places for one in given if isinstance(one, Rows) and one.places), None)
    return replace(first, places=places).shaped(sizes, axis=len(sizes) - first.from_right)


def first_with_numbers(use: Use) -> Rows:
    """Follow the first input. The others must be single numbers, the same for all rows."""
    followed, others = the_first(use), use.inputs[1:]
    if not all(one is None or (isinstance(one, Fixed) and one.is_one_number) for one in others):
        raise CannotProve("its settings are not single numbers")
    return followed


def linear_quantized(use: Use) -> Rows:
    """Follow a quantization with one scale, or one for each position along an axis other than the rows'."""
    followed, axis = the_first(use), use.attribute("axis", 1)
    for one in use.inputs[1:]:
        if not (one is None or isinstance(one, Fixed)):
            raise CannotProve("its scale comes from the rows themselves")
        if (
            one is not None
            and not one.is_one_number
            and (followed.along(axis) or len(one.shape or (0, 0)) != 1)
        ):
            raise CannotProve("its scale differs along the rows")
    return followed


def the_first(use: Use) -> Rows:
    first = use.input(0)
    if not isinstance(first, Rows):
        raise CannotProve("its first input does not come by rows")
    return first


def broadcast_sizes(shapes: Sequence[Shape]) -> Shape:
    rank = max(len(shape) for shape in shapes)
    columns = zip(*((1,) * (rank - len(shape)) + tuple(shape) for shape in shapes), strict=True)
    return tuple(_stretched(column) for column in columns)


def fits_rows(fixed: Fixed, from_right: int) -> bool:
    """Return whether the constant is the same for every row, whatever the row's position in a batch."""
    if fixed.shape is None:
        return False
    return len(fixed.shape) < from_right or fixed.shape[len(fixed.shape) - from_right] == 1


def _alike(rows: Sequence[Rows]) -> Rows:
    first = rows[0]
    for one in rows:
        if one.from_right != first.from_right or (one.places == 1) != (first.places == 1):
            raise CannotProve("it sets the rows of one tensor against another axis of another")
    return first


def _shape(one: Known, first: Rows) -> Shape:
    if isinstance(one, Rows):
        return one.shape
    if one.shape is None or not fits_rows(one, first.from_right):
        raise CannotProve("a constant may differ from row to row")
    return one.shape


def _stretched(sizes: Sequence[int | None]) -> int | None:
    larger = [size for size in sizes if size != 1]
    known = [size for size in larger if size is not None]
    return known[0] if known else (None if larger else 1)
