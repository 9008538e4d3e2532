from inference.core.contracts import TextLine
from inference.pipelines.operations import OPERATIONS
from inference.pipelines.operations.values import lines_of

LINES = (TextLine("sure", None, 0.9), TextLine("unsure", None, 0.3), TextLine("unknown", None, None))


def test_lines_that_the_model_is_not_sure_of_are_left_out() -> None:
    kept = OPERATIONS["keep_confident"].run({"lines": LINES, "at_least": 0.5}, {})
    assert [line.text for line in kept] == ["sure", "unknown"]


def test_text_is_that_of_the_lines() -> None:
    assert OPERATIONS["text_of_lines"].run({"lines": LINES}, {}) == "sure\nunsure\nunknown"


def test_texts_are_joined_in_the_order_in_which_they_are_declared() -> None:
    join = OPERATIONS["join_texts"]
    assert join.run({"b": "one", "a": "two"}, join.complete({})) == "one\ntwo"
    assert join.run({"b": "one", "a": "two"}, join.complete({"separator": " "})) == "one two"


def test_text_becomes_a_page_without_boxes() -> None:
    page = OPERATIONS["text_page"].run({"text": "one\ntwo"}, {})
    assert [(line.text, line.box, line.confidence) for line in lines_of(page)] == [
        ("one", None, 1.0),
        ("two", None, 1.0),
    ]
    assert (page.width_px, page.height_px, page.load_pixels) == (0, 0, None)


def test_recognized_lines_become_a_page_that_has_text() -> None:
    page = OPERATIONS["page_of_lines"].run({"lines": LINES, "width": 30, "height": 40}, {})
    assert (page.text_lines, page.width_px, page.height_px) == (LINES, 30, 40)
