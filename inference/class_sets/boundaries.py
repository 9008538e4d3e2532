"""The probability that a page begins a new document, from what it has in common with the page before it."""

from collections.abc import Mapping, Sequence, Set
from math import exp, log

from inference.class_sets.page_features import PageFeatures
from inference.classes.features import NAMES

WEIGHTS: Mapping[str, float] = {
    "bias": 1.31,
    "number_follows": -2.09,
    "number_and_count_follow": -1.34,
    "number_begins": 2.82,
    "number_breaks": 0.15,
    "number_ends_before": 1.98,
    "number_is_later": -1.92,
    "number_is_missing": 0.19,
    "same_class": -1.35,
    "same_top": -0.97,
    "same_words": -1.04,
    "same_title_words": -1.31,
    "shared_numbers": -2.0,
    "other_size": 1.0,
    "other_letters": 0.11,
    "large_letters": 4.38,
    "larger_letters": 2.86,
    "titles": 3.99,
    "more_dates": 2.1,
    "unfilled_before": -1.17,
}
"""The weights, which `python -m tests.benchmarks.class_sets.fit_boundaries` fits."""
_TITLES = tuple(
    at
    for at, name in enumerate(NAMES)
    if name.endswith("_title") or name in {"letter_greeting", "letter_hello", "contract_parties"}
)
_DATES = NAMES.index("dates")
_UNFILLED = NAMES.index("unfilled")
MAX_SHARED = 3
LARGE = 3
"""The factor that raises the height of large letters to about 1."""


def begins_document(
    before: PageFeatures,
    page: PageFeatures,
    own_numbers: Set[int],
    classes_before: Mapping[str, float],
    classes: Mapping[str, float],
) -> float:
    """Return the probability that the page begins a document.

    `own_numbers` are those that are on neighboring pages only, as a document's number is.
    """
    signs = signs_of(before, page, own_numbers, classes_before, classes)
    score = WEIGHTS["bias"] + sum(WEIGHTS[name] * value for name, value in signs.items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))


def signs_of(
    before: PageFeatures,
    page: PageFeatures,
    own_numbers: Set[int],
    classes_before: Mapping[str, float],
    classes: Mapping[str, float],
) -> dict[str, float]:
    """Return the signs of a new document, and of the same one, as numbers from 0 to 1 or near."""
    return {
        **_numbering(before, page),
        "same_class": sum(chance * classes.get(label, 0.0) for label, chance in classes_before.items()),
        "same_top": _overlap(before.top_words, page.top_words),
        "same_words": _overlap(before.words.keys(), page.words.keys()),
        "same_title_words": _overlap(before.title_words.keys(), page.title_words.keys()),
        "shared_numbers": min(MAX_SHARED, len(before.numbers & page.numbers & own_numbers)) / MAX_SHARED,
        "other_size": float(abs(before.proportion - page.proportion) > 0.02),
        "other_letters": _other_letters(before, page),
        "large_letters": min(1.0, LARGE * page.looks[-1]),
        "larger_letters": max(-1.0, min(1.0, LARGE * (page.looks[-1] - before.looks[-1]))),
        "titles": max(page.looks[at] for at in _TITLES),
        "more_dates": page.looks[_DATES] - before.looks[_DATES],
        "unfilled_before": before.looks[_UNFILLED],
    }


def own_numbers_of(pages: Sequence[PageFeatures]) -> frozenset[int]:
    """Return the numbers that are on two or more neighboring pages, and on no other."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    gaps: set[int] = set()
    for at, page in enumerate(pages):
        for number in page.numbers:
            if number in last and at - last[number] > 1:
                gaps.add(number)
            first.setdefault(number, at)
            last[number] = at
    return frozenset(number for number in first if number not in gaps and last[number] > first[number])


def _numbering(before: PageFeatures, page: PageFeatures) -> dict[str, float]:
    one, two = before.page_number, page.page_number
    follows = one is not None and two is not None and two.number == one.number + 1 and two.count == one.count
    begins = two is not None and two.number == 1
    return {
        "number_follows": float(follows),
        "number_and_count_follow": float(follows and one is not None and one.count is not None),
        "number_begins": float(begins),
        "number_breaks": float(one is not None and two is not None and not follows and not begins),
        "number_ends_before": float(one is not None and one.number == one.count),
        "number_is_later": float(two is not None and two.number > 1),
        "number_is_missing": float((one is None) != (two is None)),
    }


def _overlap(one: Set[int], two: Set[int]) -> float:
    return len(one & two) / max(1, len(one | two))


def _other_letters(before: PageFeatures, page: PageFeatures) -> float:
    if not before.letter_height or not page.letter_height:
        return 0.0
    return min(1.0, abs(log(page.letter_height / before.letter_height)))
