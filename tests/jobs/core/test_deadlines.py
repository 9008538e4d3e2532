import pytest

from jobs.core.deadlines import LONGEST_S, Deadlines, NotASpan, read_span


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), (" 15m ", 900), ("2H", 7_200), ("1d", 86_400), ("30d", LONGEST_S), ("1", 1)],
)
def test_a_span_is_read(text: str, seconds: int) -> None:
    assert read_span(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "1w", "-5", "1.5h", "1 m", "1m30s", "１m", "9" * 10, "P1D"])
def test_what_is_no_span_is_said(text: str) -> None:
    with pytest.raises(NotASpan, match="is not a valid duration"):
        read_span(text)


@pytest.mark.parametrize("text", ["0", "0d", "31d", "999999999"])
def test_a_span_has_bounds(text: str) -> None:
    with pytest.raises(NotASpan, match=r"Use 1 to 2592000 \(30 days\)"):
        read_span(text)


def test_deadlines_are_given_or_not() -> None:
    assert not Deadlines().given
    assert Deadlines(expires_after_s=1).given
    assert Deadlines(cancel_after_s=1).given
