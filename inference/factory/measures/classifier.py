"""Errors of classes and their probabilities."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inference.factory.measures.pairs import Measure, Pair
from inference.runtime.tensors import Array

BINS = 10
PROBABILITY_TOLERANCE = 1e-2
"""The largest difference of the sum of a row from 1 at which its values are probabilities, in float16 too."""


@dataclass(frozen=True, slots=True)
class ClassOutputs:
    """The outputs of a classifier by name. Each may be missing, but not both."""

    scores: str | None
    label: str | None
    probabilities: bool = False
    """Set if the scores of a row are probabilities. Otherwise, they are logits."""


def class_outputs(pairs: Sequence[Pair]) -> ClassOutputs:
    """Return the outputs with probabilities, or else scores, and with labels."""
    names = list(pairs[0].reference)
    wide = [name for name in names if all(_is_scores(pair.reference[name], pair.rows) for pair in pairs)]
    certain = [name for name in wide if all(_are_probabilities(pair.reference[name]) for pair in pairs)]
    labels = [name for name in names if all(_is_label(pair.reference[name], pair.rows) for pair in pairs)]
    scores = next(iter((*certain, *wide)), None)
    return ClassOutputs(scores, next(iter(labels), None), probabilities=bool(certain))


def label_follows_scores(pairs: Sequence[Pair], outputs: ClassOutputs) -> bool:
    """Return whether each class with the highest score has one label, and there are several."""
    if outputs.scores is None or outputs.label is None:
        return False
    seen: dict[int, set[object]] = {}
    for pair in pairs:
        labels = pair.reference[outputs.label].ravel().tolist()
        for top, label in zip(pair.reference[outputs.scores].argmax(axis=1).tolist(), labels, strict=True):
            seen.setdefault(top, set()).add(label)
    return len(seen) > 1 and all(len(labels) == 1 for labels in seen.values())


def measure_classifier(pairs: Sequence[Pair], outputs: ClassOutputs) -> Iterator[Measure]:
    if outputs.label is not None:
        yield _changed(pairs, outputs.label, lambda value: value.ravel())
    if outputs.scores is None:
        return
    yield _changed(pairs, outputs.scores, lambda value: value.argmax(axis=1))
    scores = outputs.scores
    reference = np.concatenate([_probabilities(pair.reference[scores], outputs) for pair in pairs])
    variant = np.concatenate([_probabilities(pair.variant[scores], outputs) for pair in pairs])
    distances = np.abs(reference - variant).sum(axis=1) / 2
    names = [pair.sample for pair in pairs for _ in range(len(pair.reference[scores]))]
    yield Measure("probability_distance_mean", float(distances.mean()), scores)
    worst = names[int(distances.argmax())]
    yield Measure("probability_distance_p99", float(np.quantile(distances, 0.99)), scores, worst)
    difference = _confidence_difference(reference.max(axis=1), variant.max(axis=1))
    yield Measure("calibration_difference", difference, scores)


def _is_scores(value: Array, rows: int) -> bool:
    return value.dtype.kind == "f" and value.ndim == 2 and value.shape[0] == rows and value.shape[1] >= 2


def _is_label(value: Array, rows: int) -> bool:
    return value.dtype.kind in "iuOUS" and value.shape in ((rows,), (rows, 1))


def _are_probabilities(value: Array) -> bool:
    if value.ndim != 2 or not np.isfinite(value).all():
        return False
    sums = value.astype(np.float64).sum(axis=1)
    return bool((value >= 0).all() and (np.abs(sums - 1) <= PROBABILITY_TOLERANCE).all())


def _probabilities(value: Array, outputs: ClassOutputs) -> Array:
    exact: Array = np.nan_to_num(value.astype(np.float64), posinf=0, neginf=0)
    if outputs.probabilities:
        return exact
    shifted = np.exp(exact - exact.max(axis=1, keepdims=True))
    result: Array = shifted / shifted.sum(axis=1, keepdims=True)
    return result


def _changed(pairs: Sequence[Pair], output: str, class_of: Callable[[Array], Array]) -> Measure:
    """Return the share of rows with another class."""
    different = [(pair, class_of(pair.reference[output]) != class_of(pair.variant[output])) for pair in pairs]
    at = next((pair.sample for pair, changed in different if changed.any()), "")
    total = sum(changed.size for _, changed in different)
    return Measure("changed_classes", sum(int(changed.sum()) for _, changed in different) / max(1, total), output, at)


def _confidence_difference(reference: Array, variant: Array) -> float:
    """Return the difference between the mean confidences in each bin of the source's confidence, weighted by rows.

    Without true labels, this is the most that the expected calibration error can have changed in a bin.
    """
    bins = np.minimum((reference * BINS).astype(int), BINS - 1)
    differences = (variant - reference)[:, None] * (bins[:, None] == np.arange(BINS)[None, :])
    return float(np.abs(differences.sum(axis=0)).sum() / max(1, len(reference)))
