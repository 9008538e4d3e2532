"""The words that people read."""

import pytest

from jobs.pages.presentation import age, price_words, state_words
from jobs.states import JOB_STATES
from tenants.billing.prices import Price


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 s"),
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (7200, "2 h"),
        (86_400, "1 d"),
    ],
)
def test_an_age_is_told_in_one_unit(seconds: float, words: str) -> None:
    assert age(seconds) == words


@pytest.mark.parametrize(("per", "words"), [(1, "0.0015 EUR per page"), (1000, "0.0015 EUR per 1000 pages")])
def test_a_price_reads_like_a_price(per: int, words: str) -> None:
    assert price_words(Price("page", 1500, per, "EUR")) == words


def test_no_state_is_shown_as_a_program_writes_it() -> None:
    assert not any("_" in state_words(state) for state in JOB_STATES)
