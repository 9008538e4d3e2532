"""Test that values are laid out so that a person can read them, and that they stay the same values."""

import ast
import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.dashboard.catalog.snippets.curl import json_code
from jobs.dashboard.catalog.snippets.layout import WIDTH, json_text, python_text, shell_text

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


HOSTILE = 'it\'s "$HOME" `id` $(id) \\ \\n \n\t\r! # %s {x} \u202e\u2028 é 😀 </script> \x7f'


@given(st.text())
def test_python_reads_back_what_was_written(text: str) -> None:
    assert ast.literal_eval(python_text(text)) == text


@given(st.text())
def test_json_reads_back_what_was_written(text: str) -> None:
    assert json.loads(json_text(text)) == text


@pytest.mark.parametrize("text", [HOSTILE, "", "'", "a\nb", "\x01'\\", "-n", "é"], ids=range(7))
def test_bash_reads_back_what_was_written(text: str) -> None:
    script = f"printf '%s' {shell_text(text)}"
    said = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    assert said == text.encode()


@given(st.text())
def test_nothing_invisible_is_written(text: str) -> None:
    assert json_text(text).isprintable()
    assert python_text(text).isprintable()
    assert shell_text(text).replace("\n", "").isprintable()


def test_quotes_are_double_where_that_is_as_short() -> None:
    assert python_text("it's") == '"it\'s"'
    assert python_text("plain") == '"plain"'
    assert python_text('say "a"') == "'say \"a\"'"
