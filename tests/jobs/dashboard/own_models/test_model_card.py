"""Tests of model cards: Markdown becomes HTML that runs nothing and loads nothing."""

import pytest

from jobs.dashboard.own_models.model_card import card_html


def test_headings_stand_below_those_of_the_page_and_tables_are_tables() -> None:
    assert card_html("# Use\n\n##### Deep") == "<h3>Use</h3>\n<h6>Deep</h6>\n"
    assert "<td>0.97</td>" in card_html("| measure | value |\n|---|---|\n| F1 | 0.97 |")


def test_a_link_leads_away_without_telling_where_from() -> None:
    assert card_html("[paper](https://example.com)") == (
        '<p><a href="https://example.com" rel="noopener noreferrer nofollow">paper</a></p>\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](https://example.com/x.png)",
        "<javascript:alert(1)>",
        '[x](https://example.com "\\" onmouseover=alert(1) \\"")',
        "> " * 10_000 + "deep",
        "[" * 10_000,
    ],
)
def test_nothing_in_a_card_runs_or_is_loaded(text: str) -> None:
    shown = card_html(text)
    assert "<script" not in shown
    assert "<img" not in shown
    assert 'href="javascript' not in shown.lower()
    assert 'href="data' not in shown.lower()
    assert " onmouseover=alert" not in shown.replace("&quot; onmouseover", "")
