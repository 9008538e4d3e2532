"""Test where phrases are found on a page."""

from inference.classes.passages import passages_of, strength
from inference.classes.phrases.evidence import Evidence, Place

PAGE = [
    "3. Summary of the year",
    "Name: Hall   Date of birth ______ [ ] single",
    "The tenantshall pay the rent in advance, and the Mietvertrag says so, on each first day.",
]


def found(place: Place, phrases: str, lines: list[str] = PAGE) -> float:
    return strength(Evidence("form_test", place, phrases), passages_of(lines))


def test_long_phrases_are_found_although_a_space_is_missing() -> None:
    assert found("text", "tenant shall pay") == 0.5


def test_short_phrases_are_whole_words() -> None:
    assert found("text", "rent") == 0.5
    assert found("text", "ten") == 0


def test_a_star_stands_for_the_rest_of_a_word() -> None:
    assert found("text", "*vertrag") == 0.5
    assert found("text", "miet*") == 0.5
    assert found("text", "miet") == 0


def test_headings_are_short_lines_without_their_numbers() -> None:
    assert found("heading", "summary") == 0.5
    assert found("heading", "the year") == 0
    assert found("heading", "the") == 0


def test_labels_stand_before_colons_lines_and_boxes() -> None:
    assert found("label", "name") == 0.5
    assert found("label", "date of birth") == 0.5
    assert found("label", "single") == 0.5
    assert found("label", "rent") == 0


def test_starts_are_at_the_start_of_any_line() -> None:
    assert found("start", "the tenantshall") == 0.5
    assert found("start", "pay") == 0


def test_titles_are_near_the_top() -> None:
    long = [*(["A line of running text that is much too long to be any title at all"] * 30), "Invoice"]
    assert found("title", "invoice", ["Invoice", *long[:-1]]) == 0.5
    assert found("title", "invoice", long) == 0


def test_more_phrases_are_more_evidence() -> None:
    assert found("text", "rent | advance") == 0.75
    scaled = Evidence("form_test", "text", "rent | advance", 2)
    assert strength(scaled, passages_of(PAGE)) == 0.5
