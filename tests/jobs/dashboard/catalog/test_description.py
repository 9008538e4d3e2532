"""Tests of descriptions: code is set as code, and everything else stays as it was written."""

import pytest

from jobs.dashboard.catalog.description import description_html


def test_code_is_set_as_code() -> None:
    assert description_html("Like `read`, in 8 bits") == "Like <code>read</code>, in 8 bits"


@pytest.mark.parametrize("text", ["", "3 * 4 * 5", "my_own_model", "# One\nTwo", "[a](https://b)", "a ` b", "2 \\` 3"])
def test_everything_else_is_plain_text(text: str) -> None:
    assert description_html(text) == text


def test_html_is_shown_as_text_in_code_too() -> None:
    assert description_html('<b>`<i>`"') == "&lt;b&gt;<code>&lt;i&gt;</code>&quot;"
