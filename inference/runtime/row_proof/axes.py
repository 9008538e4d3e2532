"""Rules for operators that work along an axis. Each is harmless along any axis except that of the rows."""

from inference.runtime.row_proof.elementwise import the_first
from inference.runtime.row_proof.layouts import numbers_of, without_axis
from inference.runtime.row_proof.values import CannotProve, Fixed, Known, Rows, Use


def refuse_along(rows: Rows, axis: int) -> None:
    if rows.along(axis):
        raise CannotProve("it works along the rows")


def the_rest_is_fixed(use: Use, since: int = 1) -> None:
    if not all(value is None or isinstance(value, Fixed) for value in use.inputs[since:]):
        raise CannotProve("more than its first input comes from the rows")


def softmax(use: Use) -> Rows:
    rows = the_first(use)
    axis = rows.place(use.attribute("axis", -1 if use.opset >= 13 else 1))
    # Before opset 13, all axes from this one on are taken together.
    if rows.axis == axis or (use.opset < 13 and rows.axis > axis):
        raise CannotProve("it works along the rows")
    return rows


def layer_norm(use: Use) -> Rows:
    """Follow a normalization over all axes from the one that the operator names."""
    rows = the_first(use)
    the_rest_is_fixed(use)
    if rows.place(use.attribute("axis", -1)) <= rows.axis:
        raise CannotProve("it takes its mean over the rows")
    if any(isinstance(value, Fixed) and len(value.shape or (None,) * 9) >= rows.from_right for value in use.inputs[1:]):
        raise CannotProve("its scale may differ from row to row")
    return rows


def norm_along(use: Use) -> Rows:
    rows = the_first(use)
    refuse_along(rows, use.attribute("axis", -1))
    return rows


def batch_norm(use: Use) -> Rows:
    if use.attribute("training_mode", 0) or len([output for output in use.node.outputs if output]) > 1 or use.opset < 7:
        raise CannotProve("it is in training, and takes its mean over the rows")
    return normalized(use)


def channels(use: Use) -> Rows:
    """Follow an operator that uses weights on each channel, or on images side by side."""
    rows = the_first(use)
    the_rest_is_fixed(use)
    if rows.axis != 0 or rows.rank < 2:
        raise CannotProve("the rows are not its first axis")
    return rows.of_rank(rows.rank)


def normalized(use: Use) -> Rows:
    """Follow an operator like `channels` does, for an output of the same shape."""
    channels(use)
    return the_first(use)


def mean_variance(use: Use) -> Rows:
    rows = the_first(use)
    for axis in use.attribute("axes", (0, 2, 3)):
        refuse_along(rows, axis)
    return rows


def reduce(use: Use) -> Rows:
    rows, axes = the_first(use), numbers_of(use, 1, "axes")
    if not axes:
        if use.attribute("noop_with_empty_axes", 0):
            return rows
        raise CannotProve("it reduces all rows to one value")
    for axis in axes:
        refuse_along(rows, axis)
    return without_axis(rows, axes, keep=bool(use.attribute("keepdims", 1)))


def arg_reduce(use: Use) -> Rows:
    rows, axis = the_first(use), use.attribute("axis", 0)
    refuse_along(rows, axis)
    return without_axis(rows, [axis], keep=bool(use.attribute("keepdims", 1)))


def cumulate(use: Use) -> Rows:
    rows, axis = the_first(use), numbers_of(use, 1, "axis")
    if axis is None:
        raise CannotProve("its axis is not known")
    refuse_along(rows, axis[0])
    return rows


def top(use: Use, axis: int = -1) -> Rows:
    rows, axis = the_first(use), use.attribute("axis", axis)
    the_rest_is_fixed(use)
    refuse_along(rows, axis)
    return _open(rows, axis)


def split(use: Use) -> Rows:
    return top(use, axis=0)


def concat(use: Use) -> Rows:
    rows, axis = _all_rows(use.inputs), use.attribute("axis", 1)
    refuse_along(rows, axis)
    return _open(rows, axis)


def slice_(use: Use) -> Rows:
    rows = the_first(use)
    starts, axes = numbers_or_open(use, 1, "starts"), numbers_of(use, 3, "axes")
    the_rest_is_fixed(use)
    at = list(range(starts)) if axes is None else [rows.place(axis) for axis in axes]
    for axis in at:
        refuse_along(rows, axis)
    return rows.shaped([None if axis in at else size for axis, size in enumerate(rows.shape)])


def numbers_or_open(use: Use, position: int, name: str) -> int:
    """Return how many numbers there are, whatever their values."""
    given = use.input(position)
    if given is None:
        return len(use.attribute(name, ()))
    if isinstance(given, Fixed) and given.shape is not None and len(given.shape) == 1 and given.shape[0] is not None:
        return given.shape[0]
    raise CannotProve(f"its {name} are not known")


def gather(use: Use) -> Rows:
    data, indices, axis = use.input(0), use.input(1), use.attribute("axis", 0)
    if isinstance(data, Fixed) and isinstance(indices, Rows) and data.shape is not None:
        at = axis + len(data.shape) if axis < 0 else axis
        shape = (*data.shape[:at], *indices.shape, *data.shape[at + 1 :])
        return indices.shaped(shape, axis=at + indices.axis)
    if isinstance(data, Rows) and isinstance(indices, Fixed) and indices.shape is not None:
        refuse_along(data, axis)
        at = data.place(axis)
        shape = (*data.shape[:at], *indices.shape, *data.shape[at + 1 :])
        return data.shaped(shape, axis=data.axis + (len(indices.shape) - 1 if at < data.axis else 0))
    raise CannotProve("it takes from all rows what a row asks for")


def elements_along(use: Use) -> Rows:
    """Follow an operator that takes or puts values along an axis, each within its own row."""
    rows = _all_rows(use.inputs)
    refuse_along(rows, use.attribute("axis", 0))
    indices = use.input(1)
    if rows.places is None or not isinstance(indices, Rows):
        raise CannotProve("its indices may be of other rows")
    return indices if use.node.operator == "GatherElements" else rows


def one_hot(use: Use) -> Rows:
    rows, axis = the_first(use), use.attribute("axis", -1)
    the_rest_is_fixed(use)
    at = axis + rows.rank + 1 if axis < 0 else axis
    shape = (*rows.shape[:at], None, *rows.shape[at:])
    return rows.shaped(shape, axis=rows.axis + (1 if at <= rows.axis else 0))


def triangle(use: Use) -> Rows:
    rows = the_first(use)
    the_rest_is_fixed(use)
    if rows.axis >= rows.rank - 2:
        raise CannotProve("it cuts a triangle out of the rows")
    return rows


def dropout(use: Use) -> Rows:
    rows, training = the_first(use), use.input(2)
    if training is not None and not (isinstance(training, Fixed) and training.numbers == (0,)):
        raise CannotProve("it is in training")
    return rows


def resize(use: Use) -> Rows:
    rows = the_first(use)
    the_rest_is_fixed(use)
    if use.attribute("axes") is not None:
        for axis in use.attribute("axes"):
            refuse_along(rows, axis)
        return rows.of_rank(rows.rank)
    if not any(_keeps_rows(value, rows) for value in use.inputs[1:]):
        raise CannotProve("it may stretch the axis of the rows")
    return rows.of_rank(rows.rank)


def _keeps_rows(given: Known | None, rows: Rows) -> bool:
    """Return whether these are scales or sizes that do not change the axis of the rows."""
    values = given.values if isinstance(given, Fixed) else None
    if not values or len(values) != rows.rank:
        return False
    kept = values[rows.axis]
    return kept == 1.0 if isinstance(kept, float) else kept.of_rows and kept.times == rows.places == 1


def _all_rows(inputs: object) -> Rows:
    given = [value for value in inputs if value is not None] if isinstance(inputs, list | tuple) else []
    found = [value for value in given if isinstance(value, Rows)]
    first = found[0]
    if len(found) != len(given) or any(
        (value.axis, value.rank, value.places) != (first.axis, first.rank, first.places) for value in found
    ):
        raise CannotProve("not all of its inputs come by the same rows")
    return first


def _open(rows: Rows, axis: int) -> Rows:
    at = rows.place(axis)
    return rows.shaped([None if axis == at else size for axis, size in enumerate(rows.shape)])
