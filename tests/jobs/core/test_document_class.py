import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.core.document_class import MAX_LABELS, UNSURE, class_of, class_with_corrections, document_class

INVOICE = {"invoice": 0.9, "letter": 0.1}
LETTER = {"invoice": 0.1, "letter": 0.9}
OTHER = {"other": 1.0}


@pytest.mark.parametrize(
    ("pages", "label", "probability"),
    [
        ([(1, INVOICE)], "invoice", 0.9),
        ([(1, INVOICE), (2, INVOICE)], "invoice", 0.9),
        ([(1, INVOICE), (2, LETTER)], "invoice", 0.6333),
        ([(2, LETTER), (1, INVOICE)], "invoice", 0.6333),
        ([(1, INVOICE), (2, LETTER), (3, LETTER), (4, LETTER)], "letter", 0.58),
        ([(2, INVOICE), (3, INVOICE), (4, LETTER)], "invoice", 0.6333),
        ([(1, LETTER), (2, INVOICE), (3, INVOICE), (4, INVOICE), (5, OTHER)], UNSURE, 0.4833),
        ([(1, {"invoice": 0.4, "letter": 0.35, "other": 0.25})], UNSURE, 0.4),
        ([(1, {"invoice": 1.0}), (2, {"receipt": 1.0})], "invoice", 0.6667),
    ],
)
def test_pages_decide_the_class_of_the_document_and_the_first_counts_twice(
    pages: list[tuple[int, dict[str, float]]], label: str, probability: float
) -> None:
    found = document_class(pages)
    assert found is not None
    assert (found.label, next(iter(found.probabilities.values()))) == (label, probability)


def test_the_limit_of_certainty_belongs_to_the_label() -> None:
    assert class_of({"invoice": 0.5, "letter": 0.5}).label == "invoice"
    assert class_of({"invoice": 0.4999, "letter": 0.4999}).label == UNSURE


@pytest.mark.parametrize(
    ("pages", "corrected", "label", "is_corrected"),
    [
        ([(1, INVOICE)], {}, "invoice", False),
        ([(1, INVOICE)], {1: "invoice"}, "invoice", False),
        ([(1, INVOICE)], {1: "letter"}, "letter", True),
        ([(1, INVOICE), (2, INVOICE), (3, INVOICE)], {2: "letter"}, "invoice", False),
        ([(1, INVOICE), (2, LETTER)], {2: "invoice"}, "invoice", False),
        ([(1, LETTER), (2, INVOICE), (3, LETTER)], {0: "invoice", 1: "letter"}, "invoice", True),
        ([(1, INVOICE)], {0: "invoice"}, "invoice", True),
        ([], {1: "letter"}, "letter", True),
    ],
)
def test_what_people_corrected_decides_the_class(
    pages: list[tuple[int, dict[str, float]]], corrected: dict[int, str], label: str, is_corrected: bool
) -> None:
    found = class_with_corrections(pages, corrected)
    assert found is not None
    assert (found.label, found.corrected) == (label, is_corrected)
    read = document_class(pages)
    assert found.probabilities == (read.probabilities if read else {})


def test_a_document_without_classified_pages_has_no_class() -> None:
    assert document_class([]) is None


def test_pages_with_ever_other_labels_leave_a_bounded_class() -> None:
    found = document_class((number, {f"label {number}": 1.0}) for number in range(1, 1000))
    assert found is not None
    assert (len(found.probabilities), found.label) == (MAX_LABELS, UNSURE)


SHARES = st.lists(st.integers(1, 9), min_size=2, max_size=4).map(
    lambda weights: {f"class {index}": weight / sum(weights) for index, weight in enumerate(weights)}
)


@given(st.lists(SHARES, min_size=1, max_size=6))
def test_probabilities_sum_to_one_and_the_order_of_pages_does_not_matter(pages: list[dict[str, float]]) -> None:
    numbered = list(enumerate(pages, 1))
    found = document_class(numbered)
    assert found is not None
    assert sum(found.probabilities.values()) == pytest.approx(1, abs=0.001)
    assert document_class(numbered[::-1]) == found
