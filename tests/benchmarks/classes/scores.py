"""Measure how often the class is right, and how far the probabilities can be believed."""

from dataclasses import dataclass

import numpy as np

from inference.classes.page_class import MIN_PROBABILITY
from inference.classes.weights import Weights
from tests.benchmarks.classes.fitting import Rows, loss


@dataclass(frozen=True)
class Score:
    accuracy: float
    calibration_error: float
    unsure: float
    loss: float

    def __str__(self) -> str:
        return (
            f"accuracy {self.accuracy:6.1%}  calibration error {self.calibration_error:.3f}  "
            f"unsure {self.unsure:5.1%}  loss {self.loss:.3f}"
        )


def score(weights: Weights, rows: Rows, bins: int = 10) -> Score:
    """Return how good the weights are on rows; each class counts the same."""
    chances = weights.probabilities(rows.features)
    best = chances.max(axis=1)
    right = (chances.argmax(axis=1) == rows.labels).astype(float)
    share = rows.weights / rows.weights.sum()
    numbers = np.minimum((best * bins).astype(int), bins - 1)
    gaps = [abs(float(((right - best) * share)[numbers == number].sum())) for number in range(bins)]
    return Score(float(right @ share), sum(gaps), float((best < MIN_PROBABILITY) @ share), loss(weights, rows))
