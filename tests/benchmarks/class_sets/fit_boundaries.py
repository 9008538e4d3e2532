"""Fit the weights of `inference.class_sets.boundaries` to generated stacks, and print them.

Run from the repository's root: python -m tests.benchmarks.class_sets.fit_boundaries
The stacks are of other firms than those that `bench_class_sets` tests.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inference.class_sets.boundaries import own_numbers_of, signs_of
from inference.class_sets.training import Example, train
from inference.classes.page_class import class_of
from tests.benchmarks.class_sets.papers import paper
from tests.benchmarks.class_sets.stacks import stack
from tests.benchmarks.class_sets.wording import KINDS
from tests.benchmarks.classes.samples import Sample

FIRMS = range(300, 340)
STACKS = 200
STIFFNESS = 0.0005
STEPS = 50
ASSUMED = {"other_size": 1.0}
"""The weights of signs that the generated stacks do not show."""


@dataclass(frozen=True)
class Boundary:
    signs: dict[str, float]
    begins: bool


def boundaries() -> Iterator[Boundary]:
    """Yield the pages of stacks: half of them with the probabilities of a class set, half with the usual ones."""
    examples = [paper(kind, FIRMS[(number + at) % 8], number) for at, kind in enumerate(KINDS) for number in range(10)]
    trained = train([Example(str(at), each.kind, each.features()) for at, each in enumerate(examples)])
    for seed in range(STACKS):
        papers = stack(FIRMS, 50_000 + seed).papers
        pages = [page for each in papers for page in each.features()]
        if seed % 2:
            probabilities = [each.probabilities for each in trained.classify(pages).pages]
        else:
            probabilities = [usual_classes(page) for each in papers for page in each.pages]
        starts = [at == 0 for each in papers for at in range(len(each.pages))]
        own = own_numbers_of(pages)
        for at in range(1, len(pages)):
            signs = signs_of(pages[at - 1], pages[at], own, probabilities[at - 1], probabilities[at])
            yield Boundary(signs, starts[at])


def usual_classes(page: Sample) -> dict[str, float]:
    return dict(class_of(page.text, page.blocks, page.lines, page.width, page.height).probabilities)


def fitted(found: list[Boundary]) -> dict[str, float]:
    """Return the weights of a logistic regression by Newton's method."""
    names = ["bias", *found[0].signs]
    inputs = np.array([[1.0, *each.signs.values()] for each in found])
    targets = np.array([float(each.begins) for each in found])
    weights = np.zeros(len(names))
    costs = np.full(len(names), STIFFNESS * len(found))
    costs[0] = 1e-6
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (chances - targets) + costs * weights
        bend = inputs.T @ (inputs * (chances * (1 - chances))[:, None]) + np.diag(costs)
        weights -= np.linalg.solve(bend, slope)
    wrong = float(np.mean((inputs @ weights > 0) != (targets > 0.5)))
    print(f"# {len(found)} pages, {wrong:.2%} wrong")
    return {name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True)} | ASSUMED


def main() -> None:
    for name, weight in fitted(list(boundaries())).items():
        print(f'    "{name}": {weight},')


if __name__ == "__main__":
    main()
