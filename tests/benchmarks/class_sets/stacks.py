"""Lay generated business papers on stacks, as a scanner with a feeder turns them into one file."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks.class_sets.papers import Paper, paper
from tests.benchmarks.class_sets.wording import KINDS

SAME_FIRM, SAME_KIND = 0.5, 0.3
"""The shares of papers that are of the same firm, or of the same kind, as the one before them."""


@dataclass(frozen=True)
class Stack:
    papers: tuple[Paper, ...]

    def ranges(self) -> list[tuple[int, int]]:
        """Return the first and last page of each paper, from 1."""
        found, first = [], 1
        for each in self.papers:
            found.append((first, first + len(each.pages) - 1))
            first += len(each.pages)
        return found


def stack(firms: Sequence[int], seed: int) -> Stack:
    chance = random.Random(f"stack {seed}")
    papers: list[Paper] = []
    firm, kind = chance.choice(firms), chance.choice(KINDS)
    for number in range(chance.randint(3, 8)):
        firm = firm if chance.random() < SAME_FIRM else chance.choice(firms)
        kind = kind if chance.random() < SAME_KIND else chance.choice(KINDS)
        papers.append(paper(kind, firm, 100 * seed + number))
    return Stack(tuple(papers))
