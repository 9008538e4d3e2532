"""Test how the progress of a running job is described."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from jobs.dashboard.reading.progress import progress_words

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Running:
    pages_done: int
    pages_total: int
    started_at: datetime | None


@pytest.mark.parametrize(
    ("done", "total", "ran_s", "words"),
    [
        (2, 12, 4.0, "Reading page 3 of 12, about 20 s"),
        (0, 12, 4.0, "Reading page 1 of 12"),
        (11, 12, 1320.0, "Reading page 12 of 12, about 2 min"),
        (12, 12, 5.0, "Reading page 12 of 12, about 1 s"),
        (3, 12, None, "Reading page 4 of 12"),
    ],
)
def test_the_page_and_the_time_left_are_given(done: int, total: int, ran_s: float | None, words: str) -> None:
    started_at = None if ran_s is None else NOW - timedelta(seconds=ran_s)
    assert progress_words(Running(done, total, started_at), NOW) == words
