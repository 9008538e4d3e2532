"""The space in which pages and documents are compared: known words, titles and looks, as one vector."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
import numpy.typing as npt

from inference.class_sets.page_features import LOOKS, PageContent, Weights

Numbers = npt.NDArray[np.float64]
MAX_WORDS, MAX_TITLE_WORDS = 2_000, 1_000
MIN_DOCUMENTS = 2
"""The examples that a word must be in to be known."""
SHARE_OF_WORDS, SHARE_OF_TITLES, SHARE_OF_LOOKS = 1.0, 0.6, 0.3
"""The lengths of the parts of a vector: how much each counts."""
MIN_SPREAD = 0.05
MAX_DEVIATION = 3.0
FIRST_PAGE_WEIGHT = 2.0
"""The first page says more about the kind of a document than any other: it has the letterhead and the title."""
MAX_PAGES = 20
"""The pages of a document that are looked at."""


@dataclass(frozen=True)
class Vocabulary:
    """Words by checksum, and how rare each is."""

    keys: tuple[int, ...]
    rarities: tuple[float, ...]

    @cached_property
    def places(self) -> Mapping[int, int]:
        return {key: at for at, key in enumerate(self.keys)}

    def vector(self, words: Weights) -> Numbers:
        """Return the known words as a vector of length 1, or 0 if there are none."""
        vector = np.zeros(len(self.keys))
        for key, weight in words.items():
            if (at := self.places.get(key)) is not None:
                vector[at] = weight * self.rarities[at]
        return unit(vector)


def vocabulary_of(documents: Sequence[Iterable[int]], most: int) -> Vocabulary:
    """Return the words that split the documents best, as they are in some but not in most of them."""
    counts = Counter(key for words in documents for key in set(words))
    total = len(documents)
    known = [(key, count) for key, count in counts.items() if count >= MIN_DOCUMENTS]
    best = sorted(known, key=lambda each: (-each[1] * (total - each[1]), each[0]))[:most]
    best.sort()
    return Vocabulary(tuple(key for key, _ in best), tuple(log((2 + total) / (1 + count)) ** 2 for _, count in best))


@dataclass(frozen=True)
class Space:
    words: Vocabulary
    title_words: Vocabulary
    looks: Numbers
    spreads: Numbers

    @property
    def size(self) -> int:
        return len(self.words.keys) + len(self.title_words.keys) + LOOKS + 1

    def page(self, page: PageContent) -> Numbers:
        """Return the vector of a page, the last number of which is 1."""
        looks = np.clip((np.array(page.looks) - self.looks) / self.spreads, -MAX_DEVIATION, MAX_DEVIATION)
        return np.concatenate(
            [
                SHARE_OF_WORDS * self.words.vector(page.words),
                SHARE_OF_TITLES * self.title_words.vector(page.title_words),
                SHARE_OF_LOOKS * looks / np.sqrt(LOOKS),
                np.ones(1),
            ]
        )

    def document(self, pages: Sequence[PageContent]) -> Numbers:
        """Return the average of the pages' vectors, of which the first page counts twice."""
        vectors = np.array([self.page(page) for page in pages[:MAX_PAGES]])
        weights = np.ones(len(vectors))
        weights[0] = FIRST_PAGE_WEIGHT
        return np.asarray(weights @ vectors / weights.sum())


def space_of(documents: Sequence[Sequence[PageContent]]) -> Space:
    """Return the space of the examples. It does not depend on their labels."""
    seen = [pages[:MAX_PAGES] for pages in documents]
    pages = [page for pages in seen for page in pages]
    looks = np.array([page.looks for page in pages])
    return Space(
        words=vocabulary_of([[key for page in pages for key in page.words] for pages in seen], MAX_WORDS),
        title_words=vocabulary_of(
            [[key for page in pages for key in page.title_words] for pages in seen], MAX_TITLE_WORDS
        ),
        looks=looks.mean(axis=0),
        spreads=np.maximum(looks.std(axis=0), MIN_SPREAD),
    )


def unit(vector: Numbers) -> Numbers:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
