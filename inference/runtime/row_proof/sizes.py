"""Rules of the row proof for operators that calculate with shapes, from the inputs' shapes to the use of the result."""

from collections.abc import Callable, Sequence

from inference.runtime.row_proof.elementwise import broadcast_sizes
from inference.runtime.row_proof.values import (
    MAX_VALUES,
    SOME_SIZE,
    CannotProve,
    Fixed,
    Known,
    Rows,
    Size,
    Use,
)

_WHOLE = frozenset([2, 3, 4, 5, 6, 7, 12, 13])
"""The element types of TensorProto that hold whole numbers."""


def fixed_inputs(use: Use) -> list[Fixed]:
    found = [value for value in use.inputs if value is not None]
    if not all(isinstance(value, Fixed) for value in found):
        raise CannotProve("a shape or an index in it comes from the rows' values")
    return [value for value in found if isinstance(value, Fixed)]


def shape_of(use: Use) -> Fixed:
    match use.input(0):
        case Rows() as rows:
            sizes = [
                Size(rows.places, of_rows=True) if axis == rows.axis else Size(size)
                for axis, size in enumerate(rows.shape)
            ]
        case Fixed(shape=shape) if shape is not None:
            sizes = [Size(size) for size in shape]
        case _:
            return Fixed((None,))
    wanted = tuple(sizes[use.attribute("start", 0) : use.attribute("end", len(sizes))])
    return Fixed((len(wanted),), wanted)


def size_of(use: Use) -> Fixed:
    found = use.input(0)
    if isinstance(found, Rows):
        return Fixed((), (Size(found.row_values, of_rows=True),))
    return Fixed(())


def constant(use: Use) -> Fixed:
    """Return the value of the operator Constant, as far as the proof needs it."""
    for name, given in use.node.attributes.items():
        match name, given:
            case "value", Fixed():
                return given
            case "value_int", int():
                return Fixed((), (Size(given),))
            case "value_ints", [*numbers] if len(numbers) <= MAX_VALUES:
                return Fixed((len(numbers),), tuple(map(Size, numbers)))
            case "value_float", float():
                return Fixed((), (given,))
            case "value_floats", [*numbers] if len(numbers) <= MAX_VALUES:
                return Fixed((len(numbers),), tuple(map(float, numbers)))
    return Fixed()


def cast(use: Use) -> Fixed:
    (given,) = fixed_inputs(use)
    return given if use.attribute("to") in _WHOLE and given.sizes is not None else Fixed(given.shape)


def same_values(use: Use) -> Fixed:
    """Follow Identity, Squeeze, Unsqueeze or Reshape on a single number or a list of numbers."""
    given = fixed_inputs(use)
    if given[0].values is None:
        return Fixed()
    match use.node.operator:
        case "Identity":
            return given[0]
        case "Squeeze":
            return Fixed(() if len(given[0].values) == 1 else (len(given[0].values),), given[0].values)
        case "Unsqueeze" if given[0].shape == ():
            return Fixed((1,), given[0].values)
        case "Reshape" if given[1].numbers is not None and len(given[1].numbers) <= 1:
            return Fixed((len(given[0].values),) if given[1].numbers else (), given[0].values)
    return Fixed()


def gather(use: Use) -> Fixed:
    values, indices = fixed_inputs(use)
    if values.values is None or indices.numbers is None or len(values.shape or ()) != 1:
        return Fixed(_gathered_shape(values, indices))
    picked = tuple(values.values[index] for index in indices.numbers)
    return Fixed(indices.shape, picked)


def concat(use: Use) -> Fixed:
    given = fixed_inputs(use)
    if any(fixed.values is None or len(fixed.shape or ()) != 1 for fixed in given):
        return _joined_unknown(given)
    values = tuple(value for fixed in given for value in fixed.values or ())
    return Fixed((len(values),), values) if len(values) <= MAX_VALUES else Fixed((len(values),))


def slice_(use: Use) -> Fixed:
    given = fixed_inputs(use)
    values = given[0].values
    bounds = [fixed.numbers for fixed in given[1:]] or [use.attribute("starts"), use.attribute("ends")]
    bounds_found = [numbers[0] for numbers in bounds if numbers]
    if values is None or len(bounds_found) != len(bounds) or len(given[0].shape or ()) != 1:
        return Fixed()
    step = bounds_found[3] if len(bounds_found) > 3 else 1
    if step < 1:
        return Fixed()
    picked = values[slice(bounds_found[0], bounds_found[1], step)]
    return Fixed((len(picked),), picked)


def product(use: Use) -> Fixed:
    """Multiply the sizes in a list. The product is the number of values in a tensor."""
    found = fixed_inputs(use)[0]
    given = found.sizes
    if given is None or len(found.shape or ()) != 1:
        return Fixed()
    total = Size(1)
    for size in given:
        total = _multiplied(total, size)
    return Fixed((1,) if use.attribute("keepdims", 1) else (), (total,))


def reckoned(use: Use) -> Fixed:
    """Follow the four basic arithmetic operators, and those that compare or choose sizes."""
    given = fixed_inputs(use)
    shape = (
        None if any(fixed.shape is None for fixed in given) else broadcast_sizes([fixed.shape or () for fixed in given])
    )
    lists = [fixed.sizes for fixed in given]
    length = max((len(sizes) for sizes in lists if sizes is not None), default=0)
    if any(sizes is None or len(sizes) not in (1, length) for sizes in lists) or len(shape or (0, 0)) > 1:
        return Fixed(shape)
    columns = zip(*(_stretched(sizes or (), length) for sizes in lists), strict=True)
    found = tuple(_RULES[use.node.operator](*column) for column in columns)
    return Fixed(
        shape,
        None if any(size is None for size in found) else tuple(size for size in found if size is not None),
    )


def _stretched(sizes: Sequence[Size], length: int) -> Sequence[Size]:
    return sizes if len(sizes) == length else list(sizes) * length


def _multiplied(one: Size, other: Size) -> Size:
    if one.of_rows and other.of_rows:
        raise CannotProve("it multiplies the number of rows by itself")
    if 0 in (one.number, other.number):
        return Size(0)
    if any(size.times is not None and size.times < 0 for size in (one, other)):
        raise CannotProve("it makes a size negative")
    times = None if one.times is None or other.times is None else one.times * other.times
    return Size(times, one.of_rows or other.of_rows)


def _divided(one: Size, other: Size) -> Size:
    if not one.of_rows and not other.of_rows:
        if one.times is None or not other.times or one.times < 0 or other.times < 0:
            return SOME_SIZE
        return Size(one.times // other.times)
    if other.of_rows or not other.times or one.times is None or one.times % other.times:
        raise CannotProve("it divides the number of rows")
    return Size(one.times // other.times, of_rows=True)


def _sum(sign: int) -> Callable[[Size, Size], Size | None]:
    def added(one: Size, other: Size) -> Size | None:
        if one.of_rows or other.of_rows:
            raise CannotProve("it adds to the number of rows")
        # An unknown value may fall below zero, which has another meaning in a shape.
        return None if one.times is None or other.times is None else Size(one.times + sign * other.times)

    return added


def _equal(one: Size, other: Size) -> Size | None:
    """Compare two sizes. A size is never below zero, because -1 in a shape stands for the rest."""
    if one.number is not None and other.number is not None:
        return Size(int(one.number == other.number))
    below = any(size.number is not None and size.number < 0 for size in (one, other))
    if below and all(size.of_rows or size.times is None or size.number is not None for size in (one, other)):
        return Size(0)
    if one.of_rows or other.of_rows:
        raise CannotProve("it compares the number of rows")
    return None


def _chosen(condition: Size, one: Size, other: Size) -> Size | None:
    if condition.number is not None:
        return one if condition.number else other
    if one.of_rows or other.of_rows:
        raise CannotProve("it chooses by a number that is not known")
    return None


_RULES: dict[str, Callable[..., Size | None]] = {
    "Mul": _multiplied,
    "Div": _divided,
    "Add": _sum(1),
    "Sub": _sum(-1),
    "Equal": _equal,
    "Where": _chosen,
}


def _gathered_shape(values: Fixed, indices: Fixed) -> tuple[int | None, ...] | None:
    if values.shape is None or indices.shape is None:
        return None
    return (*indices.shape, *values.shape[1:]) if len(values.shape) else None


def _joined_unknown(given: Sequence[Known]) -> Fixed:
    if any(isinstance(value, Fixed) and value.tells_count for value in given):
        raise CannotProve("it joins the number of rows with what is not known")
    return Fixed()
