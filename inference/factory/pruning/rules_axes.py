"""Rules of operators that move, join, split, select or sum axes."""

from typing import Any

import numpy as np

from inference.factory.pruning.groups import ShapeEntry
from inference.factory.pruning.labels import FIXED, Labels, through_reshape
from inference.factory.pruning.rules_values import pass_on
from inference.factory.pruning.tracing import Port, Rule, Visit

_REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
    "ReduceSumSquare ArgMax ArgMin"
)
_INPUT, _OUTPUT = Port(False, 0), Port(True, 0)


def _axes(visit: Visit, rank: int, index: int = 1) -> list[int] | None:
    """Return the axes that an attribute or a constant input names; None if there are none."""
    given: Any = visit.attributes.get("axes")
    if given is None and len(visit.node.input) > index and visit.node.input[index]:
        given = visit.constant_input(index)
        if given is None:
            raise visit.refuse("its axes are not constant")
    return None if given is None else [int(axis) % rank for axis in np.ravel(given)]


def transpose(visit: Visit) -> None:
    rank = len(visit.shape(visit.port))
    order = list(visit.attributes.get("perm", range(rank)[::-1]))
    if visit.port.is_output:
        visit.mark(_INPUT, order[visit.axis])
    else:
        visit.mark(_OUTPUT, order.index(visit.axis))


def reshape(visit: Visit) -> None:
    if not visit.port.is_output and visit.port.index:
        raise visit.refuse("its units are sizes")
    if visit.attributes.get("allowzero"):
        raise visit.refuse("it allows sizes of 0")
    other = Port(not visit.port.is_output, 0)
    axis, labels = through_reshape(visit.shape(visit.port), visit.shape(other), visit.axis, visit.labels)
    visit.mark(other, axis, labels)
    out_axis, out_labels = (visit.axis, visit.labels) if visit.port.is_output else (axis, labels)
    if visit.node.op_type == "Reshape":
        visit.set_size(ShapeEntry(visit.index, 1, out_axis), out_labels)


def expand(visit: Visit) -> None:
    if not visit.port.is_output and visit.port.index:
        raise visit.refuse("its units are sizes")
    from_end = len(visit.shape(visit.port)) - visit.axis
    sizes = visit.shape(Port(False, 1))[0]
    if not isinstance(sizes, int):
        raise visit.refuse("the rank of its result is not known")
    other = Port(not visit.port.is_output, 0)
    visit.mark(other, len(visit.shape(other)) - from_end)
    if sizes >= from_end:
        visit.set_size(ShapeEntry(visit.index, 1, sizes - from_end), visit.labels)


def shape(visit: Visit) -> None:
    """Let a Shape node tell the old size, so that whatever is computed from it stays the same."""
    rank = len(visit.shape(visit.port))
    start = _limit(visit.attributes.get("start", 0), rank)
    if start <= visit.axis < _limit(visit.attributes.get("end", rank), rank):
        visit.show_size(visit.axis - start)


def _limit(value: int, rank: int) -> int:
    return min(max(value + rank if value < 0 else value, 0), rank)


def reduce(visit: Visit) -> None:
    rank = len(visit.shape(_INPUT))
    if "Arg" in visit.node.op_type:
        axes: list[int] | None = [visit.attributes.get("axis", 0) % rank]
    else:
        axes = _axes(visit, rank)
    if axes is None or visit.port.index:
        raise visit.refuse("it sums over the units")
    left = list(range(rank)) if visit.attributes.get("keepdims", 1) else [i for i in range(rank) if i not in axes]
    if visit.port.is_output:
        axis = left[visit.axis]
        if axis in axes:
            raise visit.refuse("it sums over the units")
        visit.mark(_INPUT, axis)
    elif visit.axis in axes:
        raise visit.refuse("it sums over the units")
    else:
        visit.mark(_OUTPUT, left.index(visit.axis))


def squeeze(visit: Visit) -> None:
    """Follow units through Squeeze and Unsqueeze, which differ in which side has the additional axes."""
    wide_port = _INPUT if visit.node.op_type == "Squeeze" else _OUTPUT
    shape = visit.shape(wide_port)
    axes = _axes(visit, len(shape))
    if axes is None:
        raise visit.refuse("its axes are not given")
    left = [axis for axis in range(len(shape)) if axis not in axes]
    if visit.port == wide_port:
        if visit.axis in axes:
            raise visit.refuse("its units lie along an axis of size 1")
        visit.mark(Port(not wide_port.is_output, 0), left.index(visit.axis))
    else:
        visit.mark(wide_port, left[visit.axis])


def gather(visit: Visit) -> None:
    axis = visit.attributes.get("axis", 0) % len(visit.shape(_INPUT))
    added = len(visit.shape(Port(False, 1))) - 1
    if visit.port == _INPUT and visit.axis != axis:
        visit.mark(_OUTPUT, visit.axis + (added if visit.axis > axis else 0))
    elif visit.port == _OUTPUT and not axis <= visit.axis <= axis + added:
        visit.mark(_INPUT, visit.axis - (added if visit.axis > axis else 0))
    else:
        raise visit.refuse("it selects among the units")


def slice_(visit: Visit) -> None:
    """Follow units through a Slice. One that cuts between the units gets new limits."""
    rank, length = len(visit.shape(visit.port)), len(visit.labels)
    if visit.port.index:
        raise visit.refuse("its units are limits")
    if len(visit.node.input) < 3:
        raise visit.refuse("its limits are attributes")
    axes = _axes(visit, rank, 3)
    if axes is None:
        axes = list(range(int(np.prod([size for size in visit.shape(Port(False, 1)) if isinstance(size, int)]))))
    if visit.axis not in axes:
        pass_on(visit)
        return
    position = axes.index(visit.axis)
    if visit.port.is_output:
        visit.require_input_labels()
        return
    starts, ends, steps = (visit.constant_input(index) for index in (1, 2, 4))
    if starts is None or ends is None or (len(visit.node.input) > 4 and (steps is None or steps[position] != 1)):
        raise visit.refuse("its limits are not constant")
    start, end = (_limit(int(limits[position]), length) for limits in (starts, ends))
    visit.set_size(ShapeEntry(visit.index, 1, position), visit.labels[:start])
    visit.set_size(ShapeEntry(visit.index, 2, position), visit.labels[:end])
    _mark_part(visit, _OUTPUT, visit.axis, visit.labels[start:end])


def split(visit: Visit) -> None:
    axis = visit.attributes.get("axis", 0) % len(visit.shape(_INPUT))
    if visit.axis != axis:
        for port in (_INPUT, *visit.outputs()):
            if port != visit.port:
                visit.mark(port, visit.axis)
        return
    if visit.port.is_output:
        visit.require_input_labels()
        return
    if len(visit.outputs()) != len(visit.node.output):
        raise visit.refuse("one of its outputs has no name")
    parts = _parts(visit, [(port, visit.shape(port)[axis]) for port in visit.outputs()])
    visit.trace.set_splits(visit.index, tuple(labels for _, labels in parts))
    for port, labels in parts:
        _mark_part(visit, port, axis, labels)


def concat(visit: Visit) -> None:
    axis = visit.attributes.get("axis", 0) % len(visit.shape(visit.port))
    ports = visit.inputs()
    if visit.axis != axis:
        for port in (*ports, _OUTPUT):
            if port != visit.port:
                visit.mark(port, visit.axis)
        return
    sizes = [(port, visit.shape(port)[axis]) for port in ports]
    if visit.port.is_output:
        for port, labels in _parts(visit, sizes):
            _mark_part(visit, port, axis, labels)
        return
    joint = np.concatenate([visit.labels_of(port, size) for port, size in sizes])
    visit.mark(_OUTPUT, axis, joint)


def _parts(visit: Visit, sizes: list[tuple[Port, Any]]) -> list[tuple[Port, Labels]]:
    if not all(isinstance(size, int) for _, size in sizes) or sum(size for _, size in sizes) != len(visit.labels):
        raise visit.refuse("the sizes of its parts are not known")
    limits = np.cumsum([size for _, size in sizes])[:-1]
    return [(port, part) for (port, _), part in zip(sizes, np.split(visit.labels, limits), strict=True)]


def _mark_part(visit: Visit, port: Port, axis: int, labels: Labels) -> None:
    if (labels != FIXED).any():
        visit.mark(port, axis, labels)


def pad(visit: Visit) -> None:
    rank = len(visit.shape(visit.port))
    pads = visit.attributes.get("pads") if len(visit.node.input) < 2 else visit.constant_input(1)
    if pads is None or len(pads) != 2 * rank or pads[visit.axis] or pads[visit.axis + rank]:
        raise visit.refuse("it pads along the units")
    pass_on(visit)


def resize(visit: Visit) -> None:
    """Follow units through Resize and Upsample, which must leave their axis as it is."""
    rank = len(visit.shape(visit.port))
    if "axes" in visit.attributes:
        raise visit.refuse("it names its axes")
    scales = visit.constant_input(1 if visit.node.op_type == "Upsample" else 2)
    if scales is not None and len(scales) == rank and scales[visit.axis] == 1:
        pass_on(visit)
    elif len(visit.node.input) > 3 and visit.node.input[3]:
        pass_on(visit)
        visit.set_size(ShapeEntry(visit.index, 3, visit.axis), visit.labels)
    else:
        raise visit.refuse("it changes the number of units")


def tile(visit: Visit) -> None:
    repeats = visit.constant_input(1)
    if repeats is None or repeats[visit.axis] != 1:
        raise visit.refuse("it repeats the units")
    pass_on(visit)


RULES: dict[tuple[str, str], Rule] = {
    **{("", name): reduce for name in _REDUCTIONS.split()},
    ("", "Transpose"): transpose,
    ("", "Reshape"): reshape,
    ("", "Flatten"): reshape,
    ("", "Expand"): expand,
    ("", "Shape"): shape,
    ("", "Squeeze"): squeeze,
    ("", "Unsqueeze"): squeeze,
    ("", "Gather"): gather,
    ("", "Slice"): slice_,
    ("", "Split"): split,
    ("", "Concat"): concat,
    ("", "Pad"): pad,
    ("", "Resize"): resize,
    ("", "Upsample"): resize,
    ("", "Tile"): tile,
}
