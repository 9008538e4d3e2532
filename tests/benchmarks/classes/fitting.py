"""Fit a multinomial logistic regression, whose weights start from what reason expects of them, and stay near it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from inference.classes.features import NAMES, features_of
from inference.classes.phrases import EVIDENCE
from inference.classes.weights import LABELS, Numbers, Weights
from tests.benchmarks.classes.samples import Sample

Mask = npt.NDArray[np.bool_]
STEPS, RATE = 700, 0.05
OWN = 2.5
"""The weight that is expected of a phrase for its own class."""
EXPECTED = {
    ("amounts", "invoice"): 1.0,
    ("amount_ends", "invoice"): 1.0,
    ("sums", "invoice"): 2.5,
    ("ibans", "invoice"): 0.5,
    ("only_digits", "invoice"): 0.5,
    ("clauses", "contract"): 2.0,
    ("sections", "contract"): 1.0,
    ("first_person", "letter"): 1.0,
    ("second_person", "letter"): 1.0,
    ("addressing", "letter"): 1.0,
    ("percents", "report"): 1.0,
    ("captions", "report"): 1.0,
    ("in_caption", "report"): 0.5,
    ("passives", "report"): 0.5,
    ("units", "report"): 0.5,
    ("blanks", "form"): 2.0,
    ("boxes", "form"): 2.0,
    ("scales", "form"): 1.5,
    ("labels", "form"): 1.5,
    ("third_person", "other"): 1.5,
    ("code", "other"): 2.0,
    ("quotes", "other"): 0.5,
}
EXPECTED_OF = dict.fromkeys(("letter_greeting", "letter_closing", "form_labels"), 3.5) | dict.fromkeys(
    ("invoice_sum", "contract_roles", "report_findings", "other_news", "other_story", "other_event"), 1.8
)
"""The weights of the phrases that say more or less than others."""
BIAS = {"other": 1.0}
"""A page without any evidence is most likely of no class."""


@dataclass(frozen=True)
class Rows:
    features: Numbers
    labels: npt.NDArray[np.int64]
    weights: Numbers
    """The weights of the rows; those of each class add up to the same."""


def rows_of(samples: Sequence[Sample]) -> Rows:
    features = np.array(
        [list(features_of(each.text, each.blocks, each.lines, each.width, each.height).values()) for each in samples]
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
    own = {(evidence.name, evidence.label): EXPECTED_OF.get(evidence.name, OWN) for evidence in EVIDENCE}
    for (name, label), weight in (own | EXPECTED).items():
        slopes[NAMES.index(name), LABELS.index(label)] = weight
    return np.array([BIAS.get(label, 0.0) for label in LABELS]), slopes


def fit(rows: Rows, stiffness: float) -> Weights:
    """Return the weights with the least loss; `stiffness` is the cost of the squared distance from the expected ones.

    A phrase never speaks against its own class.
    """
    bias, slopes = expected()
    start = np.vstack([bias, slopes])
    inputs = np.hstack([np.ones((len(rows.labels), 1)), rows.features])
    targets = np.eye(len(LABELS))[rows.labels]
    own = _own()

    def pull(packed: Numbers) -> Numbers:
        chances = Weights(packed[0], packed[1:], 1.0).probabilities(rows.features)
        error = (chances - targets) * rows.weights[:, None] / rows.weights.sum()
        return np.asarray(inputs.T @ error + stiffness * (packed - start))

    packed, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, STEPS + 1):
        gradient = pull(packed)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        packed = packed - RATE * (1 - step / (STEPS + 1)) * move
        packed[own] = np.maximum(packed[own], 0.0)
    return Weights(packed[0], packed[1:], 1.0)


def _own() -> Mask:
    """Return where the weights of phrases for their own classes are, below a row for the bias."""
    own = np.zeros((1 + len(NAMES), len(LABELS)), dtype=np.bool_)
    for evidence in EVIDENCE:
        own[1 + NAMES.index(evidence.name), LABELS.index(evidence.label)] = True
    return own


def joined(parts: Sequence[Rows]) -> Rows:
    return Rows(
        np.vstack([part.features for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def some_of(rows: Rows, chosen: Mask, weight: float = 1.0) -> Rows:
    return Rows(rows.features[chosen], rows.labels[chosen], rows.weights[chosen] * weight)


def best_temperature(parts: Sequence[tuple[Weights, Rows]]) -> float:
    """Return the temperature at which these rows are most likely, each part by its own weights."""
    candidates = [float(each) for each in np.geomspace(0.3, 4, 80)]
    return min(
        candidates,
        key=lambda each: sum(loss(replace(weights, temperature=each), rows) for weights, rows in parts),
    )


def loss(weights: Weights, rows: Rows) -> float:
    chances = weights.probabilities(rows.features)[np.arange(len(rows.labels)), rows.labels]
    return float(np.average(-np.log(chances + 1e-12), weights=rows.weights))
