"""Test the checks of texts that owners write about their models."""

import pytest

from inference.registry.texts import checked_line, checked_lines
from tenants.core.errors import InvalidRequest


@pytest.mark.parametrize("text", ["", "Rechnungen 2026", "10\u00a0kg", "\u05e9\u05dc\u05d5\u05dd", "\U0001f600"])
def test_a_text_of_any_language_is_one_line(text: str) -> None:
    assert checked_line(text, "`title`", 20) == text


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("a\x07b", "`title` contains the control character, U+0007. Send it without."),
        ("a\x1b[31m", "`title` contains the control character, U+001B. Send it without."),
        ("a\nb", "`title` contains a line break, U+000A. Send it without."),
        ("a\u2028b", "`title` contains a line break, U+2028. Send it without."),
        ("a" * 21, "`title` has 21 characters. Send 20 at most."),
    ],
)
def test_a_line_with_control_characters_or_more_lines_is_refused(text: str, refusal: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        checked_line(text, "`title`", 20)
    assert refused.value.detail == refusal


def test_a_text_of_several_lines_gets_the_line_breaks_of_unix() -> None:
    assert checked_lines("# A\r\n\tb\nc", "`card`", 20) == "# A\n\tb\nc"
    with pytest.raises(InvalidRequest, match=r"`card` contains the control character, U\+0000"):
        checked_lines("a\nb\x00", "`card`", 20)
