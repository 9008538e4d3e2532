"""Test that every reason for which a job waits has a text."""

import pytest

from jobs.dashboard.reading.facts import waiting_words
from jobs.queue.waiting import REASONS, Standing


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_words(reason: str) -> None:
    assert waiting_words(Standing(2, None, reason)).startswith(("Waiting", "Queued"))


def test_what_comes_first_is_counted_and_the_time_is_told() -> None:
    assert waiting_words(Standing(1, 75, "queued_behind_others")) == "Queued behind 1 page, about 1 min"
    assert waiting_words(Standing(12_000, None, "queued_behind_own")) == ("Queued behind 12,000 pages of your account")
    assert waiting_words(Standing(None, None, "queued_behind_others")) == "Queued behind many pages"


def test_a_job_that_does_not_wait_has_none() -> None:
    assert waiting_words(Standing()) == ""
