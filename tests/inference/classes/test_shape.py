"""Test what is seen in the shape of a text and in the arrangement of a page."""

from typing import Any

import pytest

from inference.classes.arrangement import arrangement_of
from inference.classes.shape import shape_of
from inference.core.contracts import TextLine


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("amounts", "Total 1.234,50"),
        ("currencies", "12 €"),
        ("dates", "on 3. Mai 2024"),
        ("dates", "May 3, 2024"),
        ("dates", "2024-05-03"),
        ("percents", "7 percent"),
        ("captions", "see Abb. 3"),
        ("ibans", "DE89 3704 0044 0532 0130 00"),
        ("units", "42 kg"),
        ("clauses", "§ 4 Haftung"),
        ("clauses", "(2) The tenant pays."),
        ("numbered", "3. Then stir."),
        ("labels", "Name: Hall"),
        ("blanks", "Name ______"),
        ("boxes", "☐ yes"),
        ("boxes", "[ ] yes"),
        ("scales", "Smoker? Yes / No"),
        ("scales", "Wohnhaft: ja nein"),
        ("addressing", "Good morning Mr. Hall,"),
        ("first_person", "I have seen it"),
        ("second_person", "Wir danken Ihnen"),
        ("third_person", "she looked away"),
        ("passives", "samples were taken"),
        ("code", "return total;"),
        ("quotes", "„Niemals“"),
        ("sentences", "It rained."),
        ("capitals", "NOTICE TO ALL"),
        ("amount_ends", "Soup 4.50 EUR"),
    ],
)
def test_a_mark_is_seen(name: str, line: str) -> None:
    assert shape_of([line])[name] > 0
    assert shape_of(["nothing of the kind"])[name] == 0


def test_all_numbers_are_from_0_to_1() -> None:
    crowded = ["1 2 3 4 Yes No __ [ ] § 12,50 € 5 % {} () I you he 3.4.2024, Fig. 1 “x” ☐ ____"] * 100
    assert all(0 <= value <= 1 for value in shape_of(crowded).values())
    assert all(0 <= value <= 1 for value in shape_of([]).values())


def line_at(left: float, top: float, width: float, text: str = "some words of running text here") -> TextLine:
    return TextLine(text, ((left, top), (left + width, top), (left + width, top + 10), (left, top + 10)), 1.0)


def test_lines_beside_each_other_and_narrow_columns_are_seen() -> None:
    columns = [line_at(left, top, 200) for top in range(0, 200, 20) for left in (0, 300)]
    page = [line_at(0, top, 500) for top in range(0, 200, 20)]
    beside, below = arrangement_of((), columns, 500, 1000), arrangement_of((), page, 500, 1000)
    assert beside["side_by_side"] >= 0.5 > below["side_by_side"] == 0
    assert beside["narrow"] > below["narrow"]
    assert below["unfilled"] > 0.7


def test_blocks_count_by_their_lines() -> None:
    blocks: list[dict[str, Any]] = [{"type": "table", "lines": [0, 1, 2]}, {"type": "heading", "lines": [3]}]
    arrangement = arrangement_of(blocks, (), None, None)
    assert (arrangement["in_table"], arrangement["in_heading"]) == (0.75, 0.25)


def test_blocks_of_any_content_are_borne() -> None:
    assert arrangement_of([{}, {"type": 3, "lines": None}], (), 0, 0)["in_table"] == 0
