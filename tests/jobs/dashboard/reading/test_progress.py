"""Test how the progress of a running job is described."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from jobs.dashboard.reading.progress import Pace, progress_words

UNKNOWN = Pace(0.0, 8)
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
        (0, 12, 4.0, "Reading page 1 of 12, for 4 s so far"),
        (0, 12, 0.0, "Reading page 1 of 12"),
        (11, 12, 1320.0, "Reading page 12 of 12, about 2 min"),
        (12, 12, 5.0, "Reading page 12 of 12, about 1 s"),
        (3, 12, None, "Reading page 4 of 12"),
    ],
)
def test_the_page_and_the_time_left_are_given(done: int, total: int, ran_s: float | None, words: str) -> None:
    started_at = None if ran_s is None else NOW - timedelta(seconds=ran_s)
    assert progress_words(Running(done, total, started_at), UNKNOWN, NOW) == words


@pytest.mark.parametrize(
    ("total", "page_s", "slots", "ran_s", "words"),
    [
        (1, 20.0, 8, 0.0, "Reading page 1 of 1, about 20 s"),
        (1, 20.0, 8, 15.0, "Reading page 1 of 1, about 5 s"),
        (1, 20.0, 8, 60.0, "Reading page 1 of 1, about 1 s"),
        (12, 10.0, 4, 10.0, "Reading page 1 of 12, about 20 s"),
        (12, 10.0, 0, 0.0, "Reading page 1 of 12, about 2 min"),
    ],
)
def test_before_the_first_page_has_ended_the_pace_of_the_workers_counts(
    total: int, page_s: float, slots: int, ran_s: float, words: str
) -> None:
    running = Running(0, total, NOW - timedelta(seconds=ran_s))
    assert progress_words(running, Pace(page_s, slots), NOW) == words
