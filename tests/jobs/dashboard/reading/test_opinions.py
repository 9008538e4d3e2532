"""Test what the model thinks of a page, in words."""

import math

import pytest

from jobs.dashboard.reading.opinions import MAX_WARNINGS, class_view, kind_title, quality_words, warning_views

BOX = [[1, 2], [3, 2], [3, 4], [1, 4]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"label": "invoice", "probabilities": {"letter": 0.07, "invoice": 0.93}}, "Invoice · 93 %"),
        (
            {"label": "unsure", "probabilities": {"a": 0.2, "form": 0.45, "letter": 0.35}},
            "Unsure: Form 45 %, Letter 35 %",
        ),
        ({"label": "delivery_note", "probabilities": {"other": 1}}, "Delivery note"),
        ({"label": "letter", "score": 0.7, "scores": {"letter": 0.7, "invoice": 0.3}}, "Letter · 70 %"),
    ],
)
def test_a_class_is_named_with_its_probability(given: object, words: str) -> None:
    assert class_view({"class": given}).words == words


@pytest.mark.parametrize(
    "given",
    [
        None,
        "invoice",
        {"label": "invoice"},
        {"label": 5, "probabilities": {"invoice": 1}},
        {"label": "", "probabilities": {"invoice": 1}},
        {"label": "x" * 61, "probabilities": {"invoice": 1}},
        {"label": "invoice", "probabilities": {}},
        {"label": "invoice", "probabilities": {"invoice": "high"}},
        {"label": "invoice", "probabilities": {"invoice": math.nan}},
        {"label": "invoice", "probabilities": {str(n): 0.01 for n in range(100)}},
    ],
)
def test_anything_else_is_no_class(given: object) -> None:
    assert class_view({"class": given}).label == ""


@pytest.mark.parametrize(
    ("value", "words"), [(True, "Check this page"), (False, "Read well"), (None, ""), ("yes", ""), (1, "")]
)
def test_quality_is_said_in_words(value: object, words: str) -> None:
    assert quality_words({"needs_review": value}) == words


def test_warnings_are_plain_sentences_with_their_places() -> None:
    given = [
        {"code": "low_confidence", "message": "raw", "box": BOX},
        {"code": "new_code", "message": "Something else."},
        {"code": "cut_off", "message": 5, "box": "here"},
        {"code": []},
        "blank",
    ]
    found = warning_views({"warnings": given})
    assert [(one.place, one.words, one.corners) for one in found] == [
        ("w1", "Some words are hard to read.", "1,2 3,2 3,4 1,4"),
        ("w2", "Something else.", ""),
        ("w3", "The page is cut off at its edge. Text may be missing.", ""),
    ]


def test_writing_that_was_not_read_is_named_as_in_the_api() -> None:
    thai = "20 lines are in Thai letters that this model does not know, and missing or wrong in the text."
    given = [
        {"code": "unknown_script", "message": thai},
        {"code": "unknown_script"},
        {"code": "handwriting", "message": ""},
    ]
    assert [one.words for one in warning_views({"warnings": given})] == [
        thai,
        "There is writing here in a script that was not read.",
        "There is handwriting here. It may be read wrong.",
    ]


@pytest.mark.parametrize("given", [None, "x", {}, [None], 7])
def test_anything_else_is_no_warning(given: object) -> None:
    assert warning_views({"warnings": given}) == []


def test_the_number_of_warnings_is_bounded() -> None:
    assert len(warning_views({"warnings": [{"code": "blank"}] * 1_000})) == MAX_WARNINGS


def test_a_label_is_written_as_a_title() -> None:
    assert (kind_title("delivery_note"), kind_title("")) == ("Delivery note", "")
