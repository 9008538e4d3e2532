"""Rules for operators that make each value from the values at its position in tensors stretched to fit."""

from collections.abc import Sequence
from dataclasses import replace

from inference.runtime.row_proof.values import CannotProve, Fixed, Known, Rows, Shape, Use


def elementwise(use: Use) -> Rows:
    given = [value for value in use.inputs if value is not None]
    first = _alike([value for value in given if isinstance(value, Rows)])
    shapes = [_shape(value, first) for value in given]
    sizes = broadcast_sizes(shapes)
    places = next((value.places for value in given if isinstance(value, Rows) and value.places), None)
    return replace(first, places=places).shaped(sizes, axis=len(sizes) - first.from_right)


def first_with_numbers(use: Use) -> Rows:
    """Follow the first input. The others must be single numbers, the same for all rows."""
    followed, others = the_first(use), use.inputs[1:]
    if not all(value is None or (isinstance(value, Fixed) and value.is_one_number) for value in others):
        raise CannotProve("its settings are not single numbers")
    return followed


def linear_quantized(use: Use) -> Rows:
    """Follow a quantization with one scale, or one for each position along an axis other than the rows'."""
    followed, axis = the_first(use), use.attribute("axis", 1)
    for value in use.inputs[1:]:
        if not (value is None or isinstance(value, Fixed)):
            raise CannotProve("its scale comes from the rows themselves")
        if value is not None and not value.is_one_number and (followed.along(axis) or len(value.shape or (0, 0)) != 1):
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
    for value in rows:
        if value.from_right != first.from_right or (value.places == 1) != (first.places == 1):
            raise CannotProve("it sets the rows of one tensor against another axis of another")
    return first


def _shape(value: Known, first: Rows) -> Shape:
    if isinstance(value, Rows):
        return value.shape
    if value.shape is None or not fits_rows(value, first.from_right):
        raise CannotProve("a constant may differ from row to row")
    return value.shape


def _stretched(sizes: Sequence[int | None]) -> int | None:
    larger = [size for size in sizes if size != 1]
    fixed_sizes = [size for size in larger if size is not None]
    return fixed_sizes[0] if fixed_sizes else (None if larger else 1)
