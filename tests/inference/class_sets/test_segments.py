"""Test the splitting of stacks into documents."""

import random

import pytest

from inference.class_sets.page_features import PageFeatures, features_of
from inference.class_sets.segments import Segment, segments
from inference.class_sets.training import train
from inference.classes.page_class import class_of
from tests.inference.class_sets.papers import examples, later_page, page, result

BLANK = features_of({"text": "", "width": 595, "height": 842})


def ranges(found: list[Segment]) -> list[tuple[int, int]]:
    return [(each.first_page, each.last_page) for each in found]


def split(pages: list[PageFeatures]) -> list[Segment]:
    trained = train(examples())
    return segments(pages, [each.probabilities for each in trained.classify(pages).pages], trained.min_probability)


def stack() -> list[PageFeatures]:
    return [
        page("invoice", 1, number="Page 1 of 3"),
        features_of(later_page(1, number="Page 2 of 3")),
        features_of(later_page(2, number="Page 3 of 3")),
        page("offer", 2, firm="Harbor & Sons"),
        page("delivery note", 3, number="Page 1 of 2"),
        features_of(later_page(3, number="Page 2 of 2")),
    ]


def test_a_stack_is_split_into_its_documents() -> None:
    found = split(stack())
    assert ranges(found) == [(1, 3), (4, 4), (5, 6)]
    assert [each.label for each in found] == ["invoice", "offer", "delivery note"]
    assert all(0 < each.confidence <= 1 for each in found)


def test_numbered_pages_of_one_class_are_split_where_the_numbers_begin_anew() -> None:
    pages = [page("offer", seed, number=number) for seed, number in ((1, "Page 1 of 1"), (2, "Page 1 of 1"))]
    assert ranges(split(pages)) == [(1, 1), (2, 2)]


def test_the_usual_classes_split_stacks_as_well() -> None:
    results = [
        result("invoice", 1, number="Page 1 of 2"),
        later_page(1, number="Page 2 of 2"),
        result("offer", 2, number="Page 1 of 1", firm="Harbor & Sons"),
    ]
    found = segments(
        [features_of(each) for each in results], [class_of(each["text"]).probabilities for each in results]
    )
    assert ranges(found) == [(1, 2), (3, 3)]


def test_blank_pages_belong_to_the_document_before_them() -> None:
    pages = stack()
    assert ranges(split([*pages[:3], BLANK, *pages[3:], BLANK])) == [(1, 4), (5, 5), (6, 8)]
    assert ranges(split([BLANK, page("offer", 1)])) == [(1, 2)]
    assert [each.label for each in split([BLANK, BLANK])] == ["unsure"]


def test_no_page_makes_no_segment() -> None:
    assert split([]) == []


@pytest.mark.parametrize("seed", range(5))
def test_segments_have_every_page_once_and_in_order(seed: int) -> None:
    chance = random.Random(seed)
    pages = [chance.choice([*stack(), BLANK]) for _ in range(40)]
    found = split(pages)
    assert [number for each in found for number in range(each.first_page, each.last_page + 1)] == list(range(1, 41))
