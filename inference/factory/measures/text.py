"""Errors of read texts: characters and fields."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from inference.factory.measures.pairs import Measure
from inference.runtime.tensors import Array


@dataclass(frozen=True, slots=True)
class Reading:
    """The text that was read from a sample, such as a page."""

    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    sample: str = ""


def edit_distance(one: str, other: str) -> int:
    """Return the least number of characters to insert, delete or replace (Levenshtein)."""
    one, other = _without_common_ends(one, other)
    if not one or not other:
        return max(len(one), len(other))
    columns, given = np.arange(len(other) + 1), _codes(other)
    row = columns.copy()
    for number, code in enumerate(_codes(one).tolist(), 1):
        kept = np.minimum(row[:-1] + (given != code), row[1:] + 1)
        # An insertion costs one more than the position before, so the running minimum is of the excess over the column.
        row = np.minimum.accumulate(np.concatenate([[number], kept]) - columns) + columns
    return int(row[-1])


def character_error_rate(truths: Sequence[Reading], readings: Sequence[Reading]) -> float:
    """Return the wrong characters of all texts as a share of the true ones."""
    wrong = sum(edit_distance(truth.text, read.text) for truth, read in zip(truths, readings, strict=True))
    return wrong / max(1, sum(len(truth.text) for truth in truths))


def field_error_rate(truths: Sequence[Reading], readings: Sequence[Reading]) -> float:
    """Return the share of fields with another value. A field that only one side has counts as well."""
    wrong = total = 0
    for truth, read in zip(truths, readings, strict=True):
        names = {*truth.fields, *read.fields}
        total += len(names)
        wrong += sum(truth.fields.get(name) != read.fields.get(name) for name in names)
    return wrong / max(1, total)


def measure_texts(
    reference: Sequence[Reading], variant: Sequence[Reading], truths: Sequence[Reading] = ()
) -> Iterator[Measure]:
    """Yield the errors of the variant against the source and, if the true texts are known, the errors that it adds."""
    yield Measure(
        "character_error_rate", character_error_rate(reference, variant), sample=_first_other(reference, variant)
    )
    if any(reading.fields for reading in (*reference, *variant)):
        yield Measure("field_error_rate", field_error_rate(reference, variant))
    if truths:
        before, after = character_error_rate(truths, reference), character_error_rate(truths, variant)
        yield Measure("character_errors_added", after - before)
        if any(truth.fields for truth in truths):
            added = field_error_rate(truths, variant) - field_error_rate(truths, reference)
            yield Measure("field_errors_added", added)


def _first_other(reference: Sequence[Reading], variant: Sequence[Reading]) -> str:
    """Return the sample of the first text that differs."""
    pairs = zip(reference, variant, strict=True)
    return next((one.sample for one, other in pairs if one.text != other.text), "")


def _without_common_ends(one: str, other: str) -> tuple[str, str]:
    start = _common(one, other)
    one, other = one[start:], other[start:]
    end = _common(one[::-1], other[::-1])
    return one[: len(one) - end], other[: len(other) - end]


def _common(one: str, other: str) -> int:
    """Return the number of characters that are the same from the start."""
    length = min(len(one), len(other))
    different = np.flatnonzero(_codes(one[:length]) != _codes(other[:length]))
    return int(different[0]) if len(different) else length


def _codes(text: str) -> Array:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
