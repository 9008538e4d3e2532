import pytest

from inference.core.contracts import Quad, TextLine
from inference.quality.facts import LOW_CONFIDENCE, UnreadLine, facts_of


def box(height: float, width: float = 100.0) -> Quad:
    return (0.0, 0.0), (width, 0.0), (width, height), (0.0, height)


def test_page_without_text_has_nothing_doubtful() -> None:
    for lines in ((), (TextLine("  ", box(20), 0.1),)):
        facts = facts_of(lines, (), 0.7)
        assert (facts.characters, facts.mean_doubt, facts.doubtful_share, facts.unread_share) == (0, 0, 0, 0)
        assert facts.order_certainty == 0.7


def test_long_line_counts_more_than_a_short_one() -> None:
    facts = facts_of([TextLine("a" * 90, None, 1.0), TextLine("b" * 10, None, 0.5)], (), 1.0)
    assert facts.characters == 100
    assert facts.mean_doubt == pytest.approx(0.05)
    assert facts.doubtful_share == pytest.approx(0.1)


def test_spaces_are_no_characters() -> None:
    facts = facts_of([TextLine("a b c", None, 1.0), TextLine("d e f", None, 0.8)], (), 1.0)
    assert facts.characters == 6
    assert facts.mean_doubt == pytest.approx(0.1)


def test_only_lines_below_the_bar_are_doubtful() -> None:
    sure = TextLine("sure", None, LOW_CONFIDENCE)
    assert facts_of([sure], (), 1.0).doubtful_share == 0
    assert facts_of([sure, TextLine("worn", None, LOW_CONFIDENCE - 0.01)], (), 1.0).doubtful_share == 0.5


def test_line_of_unknown_confidence_counts_as_sure() -> None:
    facts = facts_of([TextLine("text of a model that gives none", None, None)], (), 1.0)
    assert (facts.mean_doubt, facts.doubtful_share) == (0, 0)


def test_unread_lines_count_by_their_length() -> None:
    lines = [TextLine("read", box(10, 300), 0.99)]
    assert facts_of(lines, [UnreadLine(box(10), None)], 1.0).unread_share == pytest.approx(0.25)
    assert facts_of(lines, [UnreadLine(box(20), "thai")], 1.0).unread_share == pytest.approx(5 / 35)
    assert facts_of([], [UnreadLine(box(20), None)], 1.0).unread_share == 1
    assert facts_of(lines, (), 1.0).unread_share == 0


def test_usual_height_is_the_median_of_the_lines_that_have_a_place() -> None:
    lines = [TextLine("a", box(height), 1.0) for height in (10, 30, 20)]
    assert facts_of([*lines, TextLine("b", None, 1.0)], (), 1.0).line_height == 20
    assert facts_of([TextLine("b", None, 1.0)], (), 1.0).line_height == 0
