from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from inference.quality.facts import ReadingFacts
from inference.quality.quality import REVIEW_BELOW, quality_of

CLEAN = ReadingFacts(1500, 0.99, 0.0, 0.97, 30.0, 1.0)
SHARES = st.floats(0, 1)


def test_clean_print_is_of_high_quality() -> None:
    assert quality_of(CLEAN) > 0.95


def test_print_that_was_hard_to_read_needs_review() -> None:
    assert quality_of(replace(CLEAN, mean_confidence=0.85, doubtful_share=0.5, worst_confidence=0.6)) < REVIEW_BELOW


def test_page_without_text_was_read_without_mistakes() -> None:
    assert quality_of(ReadingFacts(0, 1.0, 0.0, 1.0, 0.0, 0.0)) == 1.0


@given(mean=SHARES, doubtful=SHARES, worst=SHARES)
def test_quality_is_a_share_for_any_facts(mean: float, doubtful: float, worst: float) -> None:
    assert 0 <= quality_of(ReadingFacts(10, mean, doubtful, worst, 20.0, 1.0)) <= 1


@given(mean=SHARES, doubtful=SHARES, worst=SHARES, better=SHARES)
def test_quality_never_falls_where_the_reading_was_surer(
    mean: float, doubtful: float, worst: float, better: float
) -> None:
    facts = ReadingFacts(10, mean, doubtful, worst, 20.0, 1.0)
    assert quality_of(replace(facts, mean_confidence=max(mean, better))) >= quality_of(facts)
    assert quality_of(replace(facts, doubtful_share=min(doubtful, better))) >= quality_of(facts)
    assert quality_of(replace(facts, worst_confidence=max(worst, better))) >= quality_of(facts)
