"""Measures how well a class set knows its own examples, each judged by the others."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inference.class_sets.regression import Numbers, Places

UNSURE = "unsure"
"""The label of a document whose best class is not probable enough."""
MIN_BOUND, MAX_BOUND = 0.4, 0.9
MAX_MISTAKES = 100
COST_OF_A_WRONG_LABEL = 4
"""The documents that a person would rather label than have one labeled wrong."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """An example that the others take for another class: it is hard, or its own label is wrong."""

    document: str
    label: str
    predicted: str
    probability: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    examples: Mapping[str, int]
    confusion: Mapping[str, Mapping[str, int]]
    """The number of examples by their own label, and by the label that the others give them, or `UNSURE`."""
    recall: Mapping[str, float]
    """The share of a class's examples that get its label."""
    precision: Mapping[str, float | None]
    """The share of the examples with a label to which it belongs. It is None where none has the label."""
    accuracy: float
    """The share of the examples that get their label. `UNSURE` is not right."""
    mistakes: tuple[Mistake, ...]
    """The examples whose most probable class is another one, the most certain first, up to `MAX_MISTAKES`."""
    unsure: tuple[Mistake, ...] = ()
    """The examples that get no label although their most probable class is right, the least certain first."""

    def to_json(self) -> dict[str, Any]:
        return {
            "examples": dict(self.examples),
            "confusion": {label: dict(row) for label, row in self.confusion.items()},
            "recall": dict(self.recall),
            "precision": dict(self.precision),
            "accuracy": self.accuracy,
            "mistakes": [asdict(each) for each in self.mistakes],
            "unsure": [asdict(each) for each in self.unsure],
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Evaluation":
        listed = {name: tuple(Mistake(**each) for each in content.get(name, ())) for name in ("mistakes", "unsure")}
        return cls(**{**content, **listed})


def evaluation_of(
    documents: Sequence[str], classes: Sequence[str], labels: Places, probabilities: Numbers, bound: float
) -> Evaluation:
    best, chances = probabilities.argmax(axis=1), probabilities.max(axis=1)
    confusion = {label: dict.fromkeys((*classes, UNSURE), 0) for label in classes}
    for own, found, chance in zip(labels, best, chances, strict=True):
        confusion[classes[own]][classes[found] if chance >= bound else UNSURE] += 1
    examples = {label: sum(row.values()) for label, row in confusion.items()}
    given = {label: sum(row[label] for row in confusion.values()) for label in classes}
    descending = np.argsort(-chances, kind="stable").tolist()
    wrong = [at for at in descending if best[at] != labels[at]][:MAX_MISTAKES]
    doubtful = [at for at in descending[::-1] if best[at] == labels[at] and chances[at] < bound][:MAX_MISTAKES]

    def listed(places: Sequence[int]) -> tuple[Mistake, ...]:
        return tuple(
            Mistake(documents[at], classes[labels[at]], classes[best[at]], round(float(chances[at]), 4))
            for at in places
        )

    return Evaluation(
        examples,
        confusion,
        {label: _share(confusion[label][label], examples[label]) for label in classes},
        {label: _share(confusion[label][label], given[label]) if given[label] else None for label in classes},
        _share(sum(confusion[label][label] for label in classes), len(labels)),
        listed(wrong),
        listed(doubtful),
    )


def best_bound(labels: Places, probabilities: Numbers) -> float:
    """Return the probability below which a label is withheld: the bound with the most right and fewest wrong labels.

    Where several are as good, it is the middle of them.
    """
    chances = probabilities.max(axis=1)
    worth = np.where(probabilities.argmax(axis=1) == labels, 1, -COST_OF_A_WRONG_LABEL)
    bounds = np.linspace(MIN_BOUND, MAX_BOUND, 51)
    totals = [int(worth[chances >= bound].sum()) for bound in bounds]
    best = [float(bound) for bound, total in zip(bounds, totals, strict=True) if total == max(totals)]
    return round(best[len(best) // 2], 3)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
