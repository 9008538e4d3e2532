"""The decision to which class a page belongs, with a probability for each class."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from inference.classes.features import features_of
from inference.classes.weights import LABELS, fitted_weights
from inference.core.contracts import TextLine

UNSURE = "unsure"
MIN_PROBABILITY = 0.5
"""The probability that the best class must have to be the label."""

MIN_WORDS = 3
"""The words below which no class can be recognized, such as on an empty page with a number."""
FEW_WORDS = {label: 0.45 if label == "other" else 0.11 for label in LABELS}
"""The probabilities of a page with fewer words. None is enough for a label, so that the page is `UNSURE`."""
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class ClassOfPage:
    label: str
    """One of `LABELS`, or `UNSURE`."""
    probabilities: Mapping[str, float]
    """The probability of each of `LABELS`. They sum to 1."""


def class_of(
    text: str,
    blocks: Sequence[Mapping[str, Any]] = (),
    lines: Sequence[TextLine] = (),
    width: float | None = None,
    height: float | None = None,
) -> ClassOfPage:
    """Return the class of a page, of which only the text must be known."""
    words = islice(_WORD.finditer(f"{text} {' '.join(line.text for line in lines)}"), MIN_WORDS)
    if sum(1 for _ in words) < MIN_WORDS:
        return labeled(FEW_WORDS)
    features = features_of(text, blocks, lines, width, height)
    probabilities = fitted_weights().probabilities(np.fromiter(features.values(), np.float64, len(features)))
    return labeled(dict(zip(LABELS, probabilities.tolist(), strict=True)))


def labeled(probabilities: Mapping[str, float]) -> ClassOfPage:
    best = max(probabilities, key=probabilities.__getitem__)
    return ClassOfPage(best if probabilities[best] >= MIN_PROBABILITY else UNSURE, probabilities)
