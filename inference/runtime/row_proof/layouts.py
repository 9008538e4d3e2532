"""Rules for operators that only move values. The rows must keep their own axis, and each row its position on it."""

from collections.abc import Sequence
from math import prod

from inference.runtime.row_proof.elementwise import broadcast_sizes, the_first
from inference.runtime.row_proof.values import CannotProve, Fixed, Rows, Shape, Size, Use


def numbers_of(use: Use, position: int, name: str) -> tuple[int, ...] | None:
    """Return numbers that are an attribute of the operator in older versions of ONNX and an input in newer ones, or
    None.
    """
    given = use.input(position)
    if given is None:
        attribute = use.attribute(name)
        return None if attribute is None else tuple(attribute)
    if not isinstance(given, Fixed) or given.numbers is None:
        raise CannotProve(f"its {name} are not known")
    return given.numbers


def transpose(use: Use) -> Rows:
    rows = the_first(use)
    order = use.attribute("perm") or list(reversed(range(rows.rank)))
    return rows.shaped([rows.shape[axis_before] for axis_before in order], axis=list(order).index(rows.axis))


def unsqueeze(use: Use) -> Rows:
    rows, axes = the_first(use), numbers_of(use, 1, "axes")
    if axes is None:
        raise CannotProve("its axes are not known")
    rank = rows.rank + len(axes)
    added = {axis + rank if axis < 0 else axis for axis in axes}
    left = iter(range(rows.rank))
    order = [None if axis in added else next(left) for axis in range(rank)]
    sizes = [1 if old is None else rows.shape[old] for old in order]
    return rows.shaped(sizes, axis=order.index(rows.axis))


def squeeze(use: Use) -> Rows:
    rows, axes = the_first(use), numbers_of(use, 1, "axes")
    if axes is None:
        # If there is a single row, its axis would be removed, too.
        raise CannotProve("it takes out every axis of size one")
    gone = {rows.place(axis) for axis in axes}
    left = [axis for axis in range(rows.rank) if axis not in gone]
    if rows.axis in gone:
        raise CannotProve("it takes out the axis of the rows")
    return rows.shaped([rows.shape[axis] for axis in left], axis=left.index(rows.axis))


def flatten(use: Use) -> Rows:
    rows = the_first(use)
    if rows.axis != 0 or rows.place(use.attribute("axis", 1)) != 1:
        raise CannotProve("it folds the rows with another axis")
    size_of_rest = None if None in rows.others else prod(size or 0 for size in rows.others)
    return rows.shaped([None, size_of_rest])


def reshape(use: Use) -> Rows:
    rows, wanted = the_first(use), use.input(1)
    sizes = wanted.sizes if isinstance(wanted, Fixed) else _attribute_sizes(use)
    if not sizes or rows.axis != 0:
        raise CannotProve("the shape that it makes of the rows is not known")
    if any(size.number == 0 for size in sizes):
        sizes = _with_copies(use, rows, sizes)
    first, rest = sizes[0], sizes[1:]
    if any(size.of_rows for size in rest):
        raise CannotProve("it folds the rows into another axis")
    if first.of_rows:
        return _of_places(rows, first.times, rest)
    if first.number != -1:
        raise CannotProve("it gives the rows' axis a size of its own")
    return _of_places(rows, _places_left(rows, rest), rest)


def _attribute_sizes(use: Use) -> tuple[Size, ...]:
    return tuple(Size(number) for number in use.attribute("shape", ()))


def _with_copies(use: Use, rows: Rows, sizes: Sequence[Size]) -> tuple[Size, ...]:
    if use.attribute("allowzero", 0):
        raise CannotProve("it makes an empty shape")
    copied = [
        Size(rows.places, of_rows=True) if axis == rows.axis else Size(rows.shape[axis])
        for axis in range(min(rows.rank, len(sizes)))
    ]
    return tuple(copied[axis] if size.number == 0 and axis < len(copied) else size for axis, size in enumerate(sizes))


def _places_left(rows: Rows, rest: Sequence[Size]) -> int | None:
    """Return how many positions each row takes on the first axis, whose size is left open."""
    numbers = [size.number for size in rest]
    fixed_numbers = [number for number in numbers if number is not None]
    share = prod(fixed_numbers)
    if len(fixed_numbers) != len(numbers) or share <= 0 or rows.known_divisor % share:
        raise CannotProve("a part of what it makes may hold values of two rows")
    return None if rows.row_values is None else rows.row_values // share


def _of_places(rows: Rows, places: int | None, rest: Sequence[Size]) -> Rows:
    if places is not None and places <= 0:
        raise CannotProve("it leaves nothing of the rows")
    numbers = [size.number for size in rest]
    if numbers.count(-1) > 1:
        raise CannotProve("two sizes in it are left open")
    left: int | None = None
    if -1 in numbers and rows.row_values is not None and places is not None and None not in numbers:
        left = rows.row_values // max(1, places * prod(number for number in numbers if number and number > 0))
    sizes = [left if number == -1 else number for number in numbers]
    return Rows(0, (None, *sizes), places)


def expand(use: Use) -> Rows:
    given, wanted = use.input(0), use.input(1)
    sizes = wanted.sizes if isinstance(wanted, Fixed) else None
    if sizes is None or given is None:
        raise CannotProve("the shape that it stretches to is not known")
    if isinstance(given, Fixed):
        return _made_for_rows(given.shape, sizes)
    _refuse_other_rows(sizes, given.from_right, given.places)
    shape = broadcast_sizes([given.shape, tuple(size.number for size in sizes)])
    return given.shaped(shape, axis=len(shape) - given.from_right)


def constant_of_shape(use: Use) -> Rows:
    wanted = use.input(0)
    sizes = wanted.sizes if isinstance(wanted, Fixed) else None
    if sizes is None:
        raise CannotProve("its shape comes from the rows' values")
    return _made_for_rows((), sizes)


def tile(use: Use) -> Rows:
    given, wanted = use.input(0), use.input(1)
    sizes = wanted.sizes if isinstance(wanted, Fixed) else None
    if sizes is None or given is None or given.shape is None or len(sizes) != len(given.shape):
        raise CannotProve("how often it repeats is not known")
    if isinstance(given, Fixed):
        stretched = [
            Size(1 if old == 1 else None) if size.number == 1 else size
            for old, size in zip(given.shape, sizes, strict=True)
        ]
        return _made_for_rows(given.shape, stretched)
    if sizes[given.axis].number != 1:
        raise CannotProve("it repeats the rows")
    return given.shaped(
        [
            None if old is None or size.number is None else old * size.number
            for old, size in zip(given.shape, sizes, strict=True)
        ]
    )


def _made_for_rows(shape: Shape | None, sizes: Sequence[Size]) -> Rows:
    """Follow a constant that is given to every row alike."""
    axes = [axis for axis, size in enumerate(sizes) if size.of_rows]
    if len(axes) != 1 or shape is None:
        raise CannotProve("it makes a constant whose shape depends on how many rows there are")
    (axis,) = axes
    old = len(shape) - (len(sizes) - axis)
    if len(shape) > len(sizes) or (old >= 0 and shape[old] != 1):
        raise CannotProve("it may give each row another constant")
    stretched = broadcast_sizes([shape, tuple(size.number for size in sizes)])
    return Rows(axis, (None,) * len(stretched), sizes[axis].times).shaped(stretched)


def _refuse_other_rows(sizes: Sequence[Size], from_right: int, places: int | None) -> None:
    at = len(sizes) - from_right
    for axis, size in enumerate(sizes):
        same = size.of_rows and size.times == places == 1
        if axis == at and not (same or size.number == 1):
            raise CannotProve("it stretches the axis of the rows")
        if axis != at and size.of_rows:
            raise CannotProve("it stretches another axis to the number of rows")


def pad(use: Use) -> Rows:
    rows, pads = the_first(use), numbers_of(use, 1, "pads")
    axes = numbers_of(use, 3, "axes") if use.input(3) is not None else tuple(range(rows.rank))
    fill = use.input(2)
    if pads is None or axes is None or not (fill is None or isinstance(fill, Fixed)):
        raise CannotProve("what it pads is not known")
    at = [rows.place(axis) for axis in axes]
    if len(pads) != 2 * len(at):
        raise CannotProve("what it pads is not known")
    if rows.axis in at and (pads[at.index(rows.axis)] or pads[len(at) + at.index(rows.axis)]):
        raise CannotProve("it pads the axis of the rows")
    return rows.of_rank(rows.rank)


def without_axis(rows: Rows, axes: Sequence[int], *, keep: bool) -> Rows:
    """Return the rows after these axes were reduced."""
    gone = {rows.place(axis) for axis in axes}
    if keep:
        return rows.shaped([1 if axis in gone else size for axis, size in enumerate(rows.shape)])
    left = [axis for axis in range(rows.rank) if axis not in gone]
    return rows.shaped([rows.shape[axis] for axis in left], axis=left.index(rows.axis))
