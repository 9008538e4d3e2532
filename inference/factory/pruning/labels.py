"""Labels of an axis: for each position the unit that it belongs to, or `FIXED`. Positions of a unit go together."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from inference.factory.pruning.errors import Coarsen, Refused
from inference.factory.pruning.shapes import Dim

Labels = npt.NDArray[np.int64]
FIXED = -1
"""The label of positions that always stay."""


def same(left: Labels, right: Labels) -> bool:
    return left.shape == right.shape and bool((left == right).all())


def require_same(left: Labels, right: Labels) -> None:
    """Return if the labels are the same. Else ask to join the units that lie at the same position."""
    if left.shape != right.shape:
        raise Refused("an axis of the group has two sizes")
    if not same(left, right):
        raise Coarsen([_pairs(left, right)])


def _pairs(left: Labels, right: Labels) -> frozenset[tuple[int, int]]:
    return frozenset((int(a), int(b)) for a, b in zip(left.tolist(), right.tolist(), strict=True) if a != b)


def joined(units: int, pairs: Iterable[tuple[int, int]]) -> Labels:
    """Return for each unit the number of the joint unit that it becomes. Joined with `FIXED`, it becomes fixed."""
    parents = list(range(units + 1))  # The last one stands for FIXED.

    def root(unit: int) -> int:
        while parents[unit] != unit:
            parents[unit] = parents[parents[unit]]
            unit = parents[unit]
        return unit

    for left, right in pairs:
        parents[root(left % (units + 1))] = root(right % (units + 1))
    roots = [root(unit) for unit in range(units)]
    fixed = root(units)
    numbers = {found: number for number, found in enumerate(dict.fromkeys(r for r in roots if r != fixed))}
    return np.array([numbers.get(found, FIXED) for found in roots], np.int64)


def relabeled(labels: Labels, renumbering: Labels) -> Labels:
    return np.where(labels == FIXED, FIXED, renumbering[np.maximum(labels, 0)])


def through_reshape(before: Sequence[Dim], after: Sequence[Dim], axis: int, labels: Labels) -> tuple[int, Labels]:
    """Return the axis of the reshaped tensor that carries the units, and its labels."""
    ours, theirs = _block(before, after, axis)
    sizes = [before[i] for i in ours]
    shape = [after[i] for i in theirs]
    grid = labels.reshape([len(labels) if i == axis else 1 for i in ours])
    flat = np.broadcast_to(grid, [size for size in sizes if isinstance(size, int)])
    value = flat.reshape([size for size in shape if isinstance(size, int)])
    options = []
    for position, target in enumerate(theirs):
        if value.shape[position] == 1:
            continue
        lines = np.moveaxis(value, position, 0).reshape(value.shape[position], -1)
        if (lines == lines[:, :1]).all():
            return target, lines[:, 0].copy()
        options.append(frozenset(pair for line in lines for pair in _chain(np.unique(line).tolist())))
    if len(options) < 2:
        raise Refused("a Reshape leaves no axis for the units")
    raise Coarsen(options)


def _chain(units: Sequence[int]) -> Iterable[tuple[int, int]]:
    return pairwise(units)


def _block(before: Sequence[Dim], after: Sequence[Dim], axis: int) -> tuple[list[int], list[int]]:
    """Return the axes that hold the same values before and after, of which one is `axis`."""
    lead = 0
    while lead < min(len(before), len(after)) and before[lead] is not None and before[lead] == after[lead]:
        if lead == axis:
            return [axis], [axis]
        lead += 1
    ours, theirs = len(before), len(after)
    while ours > lead and theirs > lead:
        start = (ours, theirs)
        sizes = [_size(before[ours := ours - 1]), _size(after[theirs := theirs - 1])]
        while sizes[0] != sizes[1]:
            if sizes[0] < sizes[1] and ours > 0:
                sizes[0] *= _size(before[ours := ours - 1])
            elif sizes[1] < sizes[0] and theirs > 0:
                sizes[1] *= _size(after[theirs := theirs - 1])
            else:
                raise Refused("a Reshape is not understood")
        if ours <= axis:
            return list(range(ours, start[0])), list(range(theirs, start[1]))
    raise Refused("a Reshape is not understood")


def _size(dim: Dim) -> int:
    if not isinstance(dim, int) or dim < 1:
        raise Refused("a Reshape depends on sizes that only a run tells")
    return dim
