"""The splitting of a stack of documents in one file, where class, layout, letterhead or page numbers change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from inference.class_sets.boundaries import begins_document, own_numbers_of
from inference.class_sets.evaluation import UNSURE
from inference.class_sets.page_features import PageFeatures

Probabilities = Mapping[str, float]
FIRST_PAGE_WEIGHT = 2.0
MIN_PROBABILITY = 0.5


@dataclass(frozen=True, slots=True)
class Segment:
    """A document within a stack, with page numbers from 1."""

    first_page: int
    last_page: int
    label: str
    """The class of the document, or `UNSURE`."""
    confidence: float
    """The probability that the document begins and ends with these pages."""


def segments(
    pages: Sequence[PageFeatures],
    probabilities: Sequence[Probabilities],
    min_probability: float = MIN_PROBABILITY,
) -> list[Segment]:
    """Return the documents of a stack, which have all of its pages in order.

    `probabilities` has the classes of each page, of a class set or the usual ones. Pages without text, such as blank
    backs, belong to the document before them.
    """
    if not pages:
        return []
    begins = beginnings(pages, probabilities)
    starts = [0, *(at for at in range(1, len(pages)) if begins[at] > 0.5)]
    ends = [*(start - 1 for start in starts[1:]), len(pages) - 1]
    return [
        Segment(
            start + 1,
            end + 1,
            _label(pages[start : end + 1], probabilities[start : end + 1], min_probability),
            round(_confidence(begins, start, end), 4),
        )
        for start, end in zip(starts, ends, strict=True)
    ]


def beginnings(pages: Sequence[PageFeatures], probabilities: Sequence[Probabilities]) -> list[float]:
    """Return for each page the probability that it begins a document."""
    read = [at for at, page in enumerate(pages) if page.has_text]
    own_numbers = own_numbers_of([pages[at] for at in read])
    begins = [0.0] * len(pages)
    for before, at in pairwise(read):
        begins[at] = begins_document(pages[before], pages[at], own_numbers, probabilities[before], probabilities[at])
    begins[0] = 1.0
    return begins


def _confidence(begins: Sequence[float], start: int, end: int) -> float:
    ends = begins[end + 1] if end + 1 < len(begins) else 1.0
    return begins[start] * ends * prod(1 - begins[at] for at in range(start + 1, end + 1))


def _label(pages: Sequence[PageFeatures], probabilities: Sequence[Probabilities], min_probability: float) -> str:
    """Return the most probable class on average, for which the first page with text counts twice."""
    read = [each for page, each in zip(pages, probabilities, strict=True) if page.has_text]
    sums: dict[str, float] = {}
    for at, each in enumerate(read):
        for label, probability in each.items():
            sums[label] = sums.get(label, 0.0) + (1 if at else FIRST_PAGE_WEIGHT) * probability
    if not sums:
        return UNSURE
    best = min(sums, key=lambda label: (-sums[label], label))
    return best if sums[best] / (len(read) - 1 + FIRST_PAGE_WEIGHT) >= min_probability else UNSURE
