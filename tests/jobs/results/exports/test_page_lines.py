"""Test that lines are read from results of any shape."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jobs.results.exports.page_lines import Line, lines_of, text_of
from tests.jobs.results.exports.conftest import box

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=10,
)


def test_a_line_has_its_text_in_one_line_and_its_box() -> None:
    corners = ((1.0, 2.0), (11.0, 2.0), (11.0, 7.0), (1.0, 7.0))
    assert lines_of({"lines": [{"text": " a\n b ", "box": box(1, 2, 10, 5)}]}) == [Line("a b", corners)]


def test_a_line_that_cannot_be_read_keeps_its_place() -> None:
    assert lines_of({"lines": [7, {"text": None}, {"text": "c", "box": "here"}]}) == [Line(""), Line(""), Line("c")]


@given(JSON)
def test_any_value_can_be_read(value: object) -> None:
    result = {"lines": value, "text": value}
    assert all(isinstance(line.text, str) for line in [*lines_of(result), *lines_of({"lines": [value]})])
    assert isinstance(text_of(result), str)
