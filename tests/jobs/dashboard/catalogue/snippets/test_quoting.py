"""Test that each language itself reads its literals back as the text from which they were made."""

import ast
import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.dashboard.catalogue.snippets.layout import json_text, python_text, shell_text

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
