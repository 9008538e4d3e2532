"""Fit a multinomial logistic regression whose weights start from what reason expects of them, and stay near it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from inference.classes.features import NAMES, features_of
from inference.classes.phrases import EVIDENCE
from inference.classes.weights import LABELS, Numbers, Weights
from tests.benchmarks.classes.samples import Sample

STEPS, RATE = 700, 0.05
OWN = 2.5
"""The weight that is expected of a phrase for its own class."""
EXPECTED = {
    ("amounts", "invoice"): 1.0,
    ("ibans", "invoice"): 0.5,
    ("only_digits", "invoice"): 0.5,
    ("clauses", "contract"): 2.0,
    ("sections", "contract"): 1.0,
    ("first_person", "letter"): 1.0,
    ("second_person", "letter"): 1.0,
    ("percents", "report"): 1.0,
    ("captions", "report"): 1.0,
    ("in_caption", "report"): 0.5,
    ("blanks", "form"): 2.0,
    ("boxes", "form"): 2.0,
    ("labels", "form"): 1.5,
    ("third_person", "other"): 1.5,
    ("code", "other"): 2.0,
    ("quotes", "other"): 0.5,
}
BIAS = {"other": 1.0}
"""A page without any evidence is most likely of no class."""


@dataclass(frozen=True)
class Rows:
    features: Numbers
    labels: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    weights: Numbers
    """The weights of the rows; those of each class add up to the same."""


def rows_of(samples: Sequence[Sample]) -> Rows:
    features = np.array(
        [
            list(features_of(each.text, each.blocks, each.lines, each.width, each.height).values())
            for each in samples
        ]
    )
    labels = np.array([LABELS.index(each.label) for each in samples])
    counts = np.bincount(labels, minlength=len(LABELS))
    return Rows(features, labels, len(labels) / np.count_nonzero(counts) / counts[labels])


def with_gaps(rows: Rows, seed: int, highest: float) -> Rows:
    """Return the rows with phrases missed by chance, up to this share of the groups: no list of phrases is whole."""
    random = np.random.default_rng(seed)
    groups = len(EVIDENCE)
    share = random.uniform(0, highest, (len(rows.labels), 1))
    features = rows.features.copy()
    features[:, :groups] *= random.random((len(rows.labels), groups)) >= share
    return replace(rows, features=features)


def expected() -> tuple[Numbers, Numbers]:
    """Return the bias and slopes that reason expects."""
    slopes = np.zeros((len(NAMES), len(LABELS)))
    own = {(evidence.name, evidence.label): OWN for evidence in EVIDENCE}
    for (name, label), weight in (own | EXPECTED).items():
        slopes[NAMES.index(name), LABELS.index(label)] = weight
    return np.array([BIAS.get(label, 0.0) for label in LABELS]), slopes


def fit(rows: Rows, stiffness: float) -> Weights:
    """Return the weights with the least loss; `stiffness` is the cost of the squared distance from the expected ones.

    A phrase never speaks against its own class.
    """
    bias, slopes = expected()
    packed = np.vstack([bias, slopes])
    start, inputs = packed.copy(), np.hstack([np.ones((len(rows.labels), 1)), rows.features])
    targets = np.eye(len(LABELS))[rows.labels]
    own = np.zeros_like(packed, dtype=bool)
    for evidence in EVIDENCE:
        own[1 + NAMES.index(evidence.name), LABELS.index(evidence.label)] = True
    mean, square = np.zeros_like(packed), np.zeros_like(packed)
    for step in range(1, STEPS + 1):
        chances = Weights(packed[0], packed[1:], 1.0).probabilities(rows.features)
        pull = inputs.T @ ((chances - targets) * rows.weights[:, None]) / len(targets)
        pull += stiffness * (packed - start)
        mean, square = 0.9 * mean + 0.1 * pull, 0.999 * square + 0.001 * pull**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        packed = packed - RATE * (1 - step / (STEPS + 1)) * move
        packed[own] = np.maximum(packed[own], 0.0)
    return Weights(packed[0], packed[1:], 1.0)


def with_temperature(weights: Weights, rows: Rows) -> Weights:
    """Return the weights with the temperature at which the rows are most likely."""
    candidates = [replace(weights, temperature=float(each)) for each in np.geomspace(0.3, 4, 80)]
    return min(candidates, key=lambda each: loss(each, rows))


def loss(weights: Weights, rows: Rows) -> float:
    chances = weights.probabilities(rows.features)[np.arange(len(rows.labels)), rows.labels]
    return float(np.average(-np.log(chances + 1e-12), weights=rows.weights))


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
    return Score(float(right @ share), sum(gaps), float((best < 0.5) @ share), loss(weights, rows))
