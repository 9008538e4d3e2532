"""Ridge regression onto classes, with the scores that each example would have if it had been left out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
SMOOTHING = 0.5
"""The examples of each class that may be of another one, so that few examples do not make a class certain."""


@dataclass(frozen=True)
class Fit:
    weights: Numbers
    """A row for each number of a vector, with a number for each class."""
    left_out: Numbers
    """The scores of each example by the other examples: exactly those of a regression without it."""


def fit(vectors: Numbers, labels: Places, classes: int, stiffness: float) -> Fit:
    """Return the weights with the least squared error, where each class counts the same whatever its examples.

    The scores of a vector that is like none of the examples are near 0.
    """
    counts = np.bincount(labels, minlength=classes)
    targets = np.eye(classes)[labels] - 1 / classes
    costs = stiffness * counts[labels] * classes / len(labels)
    inverse = np.linalg.inv(vectors @ vectors.T + np.diag(costs))
    duals = inverse @ targets
    left_out = targets - duals / np.diag(inverse)[:, None]
    return Fit(vectors.T @ duals, left_out)


def probabilities_of(scores: Numbers, temperature: float) -> Numbers:
    """Return a row of probabilities for a row of scores, or for each of several rows."""
    raised = scores / temperature
    powers = np.exp(raised - raised.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def best_temperature(scores: Numbers, labels: Places) -> float:
    """Return the temperature at which the labels are most likely."""
    candidates = [float(each) for each in np.geomspace(0.02, 1.0, 60)]
    return min(candidates, key=lambda each: loss(scores, labels, each))


def loss(scores: Numbers, labels: Places, temperature: float) -> float:
    """Return the mean surprise at the labels, each of which is taken for a wrong one with a small probability."""
    count, classes = scores.shape
    doubt = SMOOTHING * classes / (count + SMOOTHING * classes)
    logs = np.log(probabilities_of(scores, temperature) + 1e-12)
    right = logs[np.arange(count), labels]
    return float(-np.mean((1 - doubt) * right + doubt * logs.mean(axis=1)))
