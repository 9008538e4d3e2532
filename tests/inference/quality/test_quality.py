from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import TextLine
from inference.quality.facts import ReadingFacts, UnreadLine, facts_of
from inference.quality.quality import REVIEW_BELOW, quality_of

CLEAN = ReadingFacts(1500, 0.0, 0.005, 0.0, 30.0, 1.0)
SHARES = st.floats(0, 1)
BOX = ((0.0, 0.0), (300.0, 0.0), (300.0, 30.0), (0.0, 30.0))


def test_clean_print_is_of_high_quality() -> None:
    assert quality_of(CLEAN) > 0.9


def test_print_that_was_hard_to_read_needs_review() -> None:
    hard = replace(CLEAN, mean_doubt=0.15)
    assert quality_of(hard) < REVIEW_BELOW


def test_page_whose_lines_are_half_unread_needs_review() -> None:
    assert quality_of(replace(CLEAN, unread_share=0.5)) < REVIEW_BELOW


def test_page_without_text_was_read_without_mistakes() -> None:
    assert quality_of(facts_of([], [], 1.0)) == 1.0


def test_page_of_which_nothing_could_be_read_has_no_quality() -> None:
    assert quality_of(facts_of([], [UnreadLine(BOX, "arabic")], 1.0)) == 0.0


def test_text_of_its_own_has_the_highest_quality() -> None:
    assert quality_of(facts_of([TextLine("From the file itself", BOX, 1.0)], [], 1.0)) == 1.0


@given(unread=SHARES, mean=SHARES)
def test_quality_is_a_share_for_any_facts(unread: float, mean: float) -> None:
    assert 0 <= quality_of(ReadingFacts(10, unread, mean, 0.0, 20.0, 1.0)) <= 1


@given(mean=st.floats(0.001, 1), unread=SHARES, better=SHARES)
def test_quality_never_falls_where_the_reading_was_surer(mean: float, unread: float, better: float) -> None:
    facts = ReadingFacts(10, unread, mean, 0.0, 20.0, 1.0)
    assert quality_of(replace(facts, mean_doubt=mean * better)) >= quality_of(facts)
    assert quality_of(replace(facts, unread_share=unread * better)) >= quality_of(facts)
