"""Fit the weights of the classes of documents, write them into the package, and print how good they are.

Run from the repository's root: python -m tests.benchmarks.fit_classes

It fits with generated pages of one half of the vocabulary and with documents written by hand, clean and worn. It
measures with pages of the other half and of other seeds, and with documents written by hand that are never fitted to.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from inference.classes.weights import FILE, LABELS, Numbers, Weights
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.classes.fitting import (
    Mask,
    Rows,
    best_temperature,
    fit,
    joined,
    rows_of,
    some_of,
    with_gaps,
)
from tests.benchmarks.classes.samples import Sample, generated
from tests.benchmarks.classes.scores import score
from tests.benchmarks.classes.wear import MAX_ERRORS, misread, worn
from tests.benchmarks.classes.written import written

FITTED, MEASURED = 70, 40
"""The generated pages of each class and language."""
MEASURED_SEED = 100_000
WORN = 2
"""The worn copies of each generated page."""
MISREAD = 4
"""The copies with errors of each written document."""
WRITTEN_SHARE = 0.25
"""The weight of the written documents among all that is fitted to."""
GAPS = 0.7
STIFFNESS = 0.004
FOLDS = 4


@dataclass(frozen=True)
class Material:
    pages: Rows
    documents: tuple[Rows, ...]
    """Documents written by hand, first as they are and then with errors; each has the same order."""


def main() -> None:
    chance = random.Random(1)
    pages = list(generated(0, 0, FITTED))
    documents = written("fitting")
    copies = [[_misread(each, chance) for each in documents] for _ in range(MISREAD)]
    material = Material(
        rows_of(pages + [worn(page, chance) for page in pages for _ in range(WORN)]),
        tuple(rows_of(each) for each in (documents, *copies)),
    )
    weights = fitted(material)
    FILE.write_text(weights.to_json(), "utf-8")
    print(circumstances())
    print(f"temperature {weights.temperature:.2f}")
    others = list(generated(1, MEASURED_SEED, MEASURED))
    report(weights, "generated pages", others)
    report(weights, "worn pages", [worn(page, chance) for page in others for _ in range(WORN)])
    for language in ("en", "de"):
        report(weights, f"written in {language}", [each for each in written("test") if each.language == language])
    report(weights, "written by hand", written("test"))
    report(weights, "written and worn", [_misread(each, chance) for each in written("test") for _ in range(MISREAD)])


def fitted(material: Material) -> Weights:
    """Return the weights, with the temperature that suits documents which the weights were not fitted to."""
    fold = _folds(material.documents[0])
    parts = []
    for number in range(FOLDS):
        weights = _fit(material, fold != number)
        parts.append((weights, some_of(material.documents[0], fold == number)))
    return replace(_fit(material, fold >= 0), temperature=best_temperature(parts))


def _fit(material: Material, chosen: Mask) -> Weights:
    part = joined([some_of(rows, chosen) for rows in material.documents])
    factor = WRITTEN_SHARE / (1 - WRITTEN_SHARE) * material.pages.weights.sum() / part.weights.sum()
    part = replace(part, weights=part.weights * factor)
    return fit(with_gaps(joined([material.pages, part]), 1, GAPS), STIFFNESS)


def _folds(rows: Rows) -> Numbers:
    """Return the number of each row's fold; the classes are spread evenly."""
    fold = np.zeros(len(rows.labels))
    for label in range(len(LABELS)):
        places = np.flatnonzero(rows.labels == label)
        fold[places] = np.arange(len(places)) % FOLDS
    return fold


def _misread(sample: Sample, chance: random.Random) -> Sample:
    return replace(sample, text=misread(sample.text, chance, chance.uniform(0, MAX_ERRORS)))


def report(weights: Weights, name: str, samples: Sequence[Sample]) -> None:
    rows = rows_of(samples)
    print(f"{name:20} {len(samples):5} {score(weights, rows)}")
    best = weights.probabilities(rows.features).argmax(axis=1)
    for label, expected in enumerate(LABELS):
        found = np.bincount(best[rows.labels == label], minlength=len(LABELS))
        print(f"    {expected:10}", "  ".join(f"{name} {count}" for name, count in zip(LABELS, found, strict=True)))


if __name__ == "__main__":
    main()
