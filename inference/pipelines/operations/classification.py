"""The classification of a text by its similarity to examples of each kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Classification:
    label: str
    score: float
    scores: Mapping[str, float]
    """The best cosine with the examples of each label."""


def classify(
    embedding: Vectors, examples: Vectors, labels: Sequence[str], *, min_score: float, otherwise: str
) -> Classification:
    """Return the label of the most similar example, or `otherwise`. All vectors have length 1, one for each label."""
    scores: dict[str, float] = {}
    for label, cosine in zip(labels, (examples @ embedding).tolist(), strict=True):
        scores[label] = max(cosine, scores.get(label, -1.0))
    best = max(scores, key=lambda label: scores[label])
    if scores[best] < min_score:
        best = otherwise
    return Classification(best, scores.get(best, 0.0), scores)
