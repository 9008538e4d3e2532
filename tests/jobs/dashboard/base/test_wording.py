"""Tests of the texts that people read."""

import pytest

from jobs.core.states import JOB_STATES
from jobs.dashboard.base.wording import price_words, state_words
from tenants.plans.prices import Price


@pytest.mark.parametrize(("per", "words"), [(1, "0.0015 € per page"), (1000, "0.0015 € per 1000 pages")])
def test_a_price_reads_like_a_price(per: int, words: str) -> None:
    assert price_words(Price("page", 1500, per, "EUR")) == words


def test_tokens_are_priced_by_the_million_everywhere() -> None:
    assert price_words(Price("token", 1, 1, "EUR")) == "1.00 € per million tokens"


def test_no_state_is_shown_as_a_program_writes_it() -> None:
    assert not any("_" in state_words(state) for state in JOB_STATES)
