"""Test that values are laid out so that a person can read them, and that they stay the same values."""

import json

from hypothesis import given
from hypothesis import strategies as st

from jobs.dashboard.catalogue.snippets.curl import json_code
from jobs.dashboard.catalogue.snippets.layout import WIDTH

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(), inner, max_size=5),
)


@given(VALUES)
def test_a_value_stays_the_same(value: object) -> None:
    assert json.loads(json_code(value)) == value


def test_what_fits_stays_on_one_line() -> None:
    assert json_code({"model": "embed", "input": ["a", "b"]}) == '{"model": "embed", "input": ["a", "b"]}'


def test_a_list_of_texts_has_a_line_for_each() -> None:
    assert json_code(["a" * 50, "b" * 50]) == f'[\n  "{"a" * 50}",\n  "{"b" * 50}"\n]'


def test_numbers_fill_their_lines() -> None:
    lines = json_code(list(range(100))).splitlines()
    assert lines[1].startswith("  0, 1, 2, 3")
    assert all(len(line) <= WIDTH for line in lines)
    assert len(lines) < 10
