"""Checks that hold for every kind of model: names, types, shapes, rows, finite numbers, and answers that repeat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inference.factory.measures.pairs import Answers, Pair, blocks_of, outputs_of
from inference.runtime.tensors import Array

REPEATED_WITHIN = 1e-5
"""The largest difference between two runs on the same input that counts as the same, relative to the largest value.
Sums may be taken in another order in each run.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that no bound excuses."""

    code: str
    detail: str
    output: str = ""
    sample: str = ""


def structure_faults(pairs: Sequence[Pair]) -> tuple[Fault, ...]:
    """Return what differs in names, types and shapes, once for each output."""
    found: dict[tuple[str, str], Fault] = {}
    for pair in pairs:
        for fault in _structure_of(pair):
            found.setdefault((fault.code, fault.output), fault)
    return tuple(found.values())


def _structure_of(pair: Pair) -> Iterator[Fault]:
    if list(pair.reference) != list(pair.variant):
        yield Fault(
            "outputs_differ",
            f"its outputs are {list(pair.variant)}, and the source's are {list(pair.reference)}",
            sample=pair.sample,
        )
        return
    for name, expected in pair.reference.items():
        given = pair.variant[name]
        if given.dtype.kind != expected.dtype.kind or given.dtype.itemsize != expected.dtype.itemsize:
            detail = f"its type is {given.dtype}, and the source's is {expected.dtype}"
            yield Fault("type_differs", detail, name, pair.sample)
        elif given.shape[:1] != expected.shape[:1] and given.shape[1:] == expected.shape[1:]:
            detail = f"it has {_count(given)} rows where the source has {_count(expected)}"
            yield Fault("rows_differ", detail, name, pair.sample)
        elif given.shape != expected.shape:
            detail = f"its shape is {list(given.shape)}, and the source's is {list(expected.shape)}"
            yield Fault("shape_differs", detail, name, pair.sample)


def _count(value: Array) -> int:
    return len(value) if value.ndim else 1


def value_faults(pairs: Sequence[Pair]) -> tuple[Fault, ...]:
    """Return the outputs with NaN or infinity where the source has a number. The structure must be the same."""
    found: list[Fault] = []
    for output in outputs_of(pairs):
        bad = [(pair, _not_finite(pair, output)) for pair in pairs]
        rows, first = sum(count for _, count in bad), next((pair for pair, count in bad if count), None)
        if first is not None:
            total = sum(pair.rows for pair in pairs)
            detail = f"{rows} of {total} rows hold NaN or infinity where the source has numbers"
            found.append(Fault("not_finite", detail, output, first.sample))
    return tuple(found)


def _not_finite(pair: Pair, output: str) -> int:
    """Return the number of rows with a number that is finite in the reference alone."""
    expected, given = pair.reference[output], pair.variant[output]
    if expected.dtype.kind not in "fc" or not expected.size:
        return 0
    bad = np.isfinite(expected) & ~np.isfinite(given)
    by_row = bad.reshape(pair.rows if bad.shape[:1] == (pair.rows,) else 1, -1)
    return int(by_row.any(axis=1).sum())


def unvaried_outputs(pairs: Sequence[Pair]) -> tuple[Fault, ...]:
    """Return the outputs that are the same for every input, so that a comparison shows nothing."""
    detail = "not comparable: outputs do not depend on the inputs"
    return tuple(
        Fault("not_comparable", detail, output)
        for output in outputs_of(pairs)
        if not any(block.varies for block in blocks_of(pairs, output))
    )


def repeat_faults(reference: Sequence[Answers], variant: Sequence[Answers], sample: str) -> tuple[Fault, ...]:
    """Compare two runs of each model on the same input. The variant must repeat its answers if the source does."""
    if not all(_same(reference[0][name], reference[1][name]) for name in reference[0]):
        return ()
    return tuple(
        Fault(
            "not_repeatable", "it answers the same input differently each time, and the source does not", name, sample
        )
        for name in variant[0]
        if name in variant[1] and not _same(variant[0][name], variant[1][name])
    )


def _same(one: Array, other: Array) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype.kind in "OUSb":
        return bool(np.array_equal(one, other))
    first, second = one.astype(np.float64), other.astype(np.float64)
    size = np.abs(first[np.isfinite(first)]).max(initial=0)
    return bool(np.allclose(first, second, rtol=0, atol=REPEATED_WITHIN * size, equal_nan=True))
