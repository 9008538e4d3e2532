"""Compares the answers of a variant with those of its source, by the kind of the model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inference.factory.measures.checks import Fault, structure_faults, unvaried_outputs, value_faults
from inference.factory.measures.classifier import class_outputs, measure_classifier
from inference.factory.measures.embedding import measure_embedding, vector_outputs
from inference.factory.measures.kinds import detect_kind
from inference.factory.measures.pairs import Kind, Measure, Pair, blocks_of, outputs_of
from inference.factory.measures.tensor import measure_tensor
from inference.factory.measures.text import Reading, measure_texts

LOWER_IS_WORSE = frozenset({"cosine_mean", "cosine_min", "recall_at_10"})


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a comparison."""

    kind: Kind
    rows: int
    """The number of held-out rows that were compared."""
    faults: tuple[Fault, ...] = ()
    measures: tuple[Measure, ...] = ()


def measure(pairs: Sequence[Pair], kind: Kind | None = None, *, generated: bool = True) -> Measured:
    """Compare the answers. Outputs that never change are a fault if the inputs were `generated`.

    The kind is found out from the answers if it is None.
    """
    rows = sum(pair.rows for pair in pairs)
    found = kind or detect_kind(pairs)
    faults = structure_faults(pairs)
    if faults:
        return Measured(found, rows, faults)
    with np.errstate(all="ignore"):
        faults = (*value_faults(pairs), *(unvaried_outputs(pairs) if generated else ()), *_misfit(pairs, found))
        return Measured(found, rows, faults, () if _misfit(pairs, found) else _worst(_measures(pairs, found)))


def _misfit(pairs: Sequence[Pair], kind: Kind) -> tuple[Fault, ...]:
    """Return a fault if the outputs cannot be those of this kind."""
    classes = class_outputs(pairs)
    fits = {
        Kind.EMBEDDING: bool(vector_outputs(pairs)),
        Kind.CLASSIFIER: classes.scores is not None or classes.label is not None,
        Kind.TEXT: any(value.dtype.kind in "OUS" for value in pairs[0].reference.values()),
        Kind.TENSOR: True,
    }
    detail = f"the outputs are not those of the kind {kind}; choose another kind"
    return () if fits[kind] else (Fault("kind_does_not_fit", detail),)


def _measures(pairs: Sequence[Pair], kind: Kind) -> Iterator[Measure]:
    classes = class_outputs(pairs)
    for output in outputs_of(pairs):
        # The numbers of classes have no distance.
        if kind is not Kind.CLASSIFIER or output != classes.label:
            yield from measure_tensor(blocks_of(pairs, output))
    if kind is Kind.EMBEDDING:
        for output in vector_outputs(pairs):
            yield from measure_embedding(pairs, output)
    elif kind is Kind.CLASSIFIER:
        yield from measure_classifier(pairs, classes)
    elif kind is Kind.TEXT:
        yield from _text_measures(pairs)


def _text_measures(pairs: Sequence[Pair]) -> Iterator[Measure]:
    for output in outputs_of(pairs):
        if pairs[0].reference[output].dtype.kind in "OUS":
            sides = [[reading for pair in pairs for reading in _readings(pair, output, side)] for side in (0, 1)]
            yield from measure_texts(sides[0], sides[1])


def _readings(pair: Pair, output: str, side: int) -> Iterator[Reading]:
    answers = (pair.reference, pair.variant)[side]
    yield from (Reading(str(text), sample=pair.sample) for text in answers[output].ravel().tolist())


def _worst(measures: Iterator[Measure]) -> tuple[Measure, ...]:
    """Return the worst value of each name over all outputs."""
    worst: dict[str, Measure] = {}
    for each in measures:
        kept = worst.setdefault(each.name, each)
        is_worse = each.value < kept.value if each.name in LOWER_IS_WORSE else each.value > kept.value
        if is_worse or np.isnan(each.value):
            worst[each.name] = each
    return tuple(worst.values())
