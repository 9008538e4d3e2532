"""Tests of the timeline, which describes what happened in words and with durations."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from jobs.dashboard.reading.timeline import is_loading, job_steps, page_steps, shares

START = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)


@dataclass
class Happened:
    type: str
    after_s: float = 0
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def created_at(self) -> datetime:
        return START + timedelta(seconds=self.after_s)


def page(kind: str, after_s: float, number: int = 1, **data: Any) -> Happened:
    return Happened(f"page.{kind}", after_s, {"page": number, **data})


QUEUED, RUNNING = Happened("job.queued"), Happened("job.running", 2)


def words(steps: Any) -> list[tuple[str, str]]:
    return [(step.words, step.took) for step in steps]


def test_a_job_waits_loads_reads_and_ends() -> None:
    events = [QUEUED, RUNNING, page("loading", 2.5, model="ocr@1"), Happened("job.succeeded", 9)]
    assert words(job_steps(events)) == [
        ("Queued", "2.0 s"),
        ("Started", "500 ms"),
        ("Loading the model ocr@1", "6.5 s"),
        ("Done", ""),
    ]


def test_a_page_tells_of_lost_workers_and_other_tries() -> None:
    events = [
        QUEUED,
        page("running", 2, attempt=1),
        page("requeued", 32),
        page("running", 33, attempt=2),
        page("retrying", 34, error="model_memory_busy", attempt=2),
        page("running", 40, attempt=3),
        page("failed", 41, error={"code": "worker_lost", "detail": "All died."}),
    ]
    steps = page_steps(events, 1)
    assert [step.words for step in steps][2] == "The worker stopped responding. Queued again"
    assert [step.detail for step in steps][3:] == [
        "attempt 2",
        "model memory busy, attempt 2",
        "attempt 3",
        "worker lost",
    ]


@pytest.mark.parametrize("begun", [[], [page("loading", 3, model="ocr@1")]])
def test_a_page_whose_worker_was_stopped_went_back_to_the_queue(begun: list[Happened]) -> None:
    steps = page_steps([QUEUED, page("running", 2), *begun, page("running", 9)], 1)
    assert words(steps)[-2:] == [
        ("The worker stopped. Queued again", ""),
        ("Started", ""),
    ]


def test_a_page_that_its_worker_gave_back_is_not_said_to_be_lost() -> None:
    steps = page_steps([QUEUED, page("running", 2), page("requeued", 5, reason="handed_back")], 1)
    assert words(steps)[-1] == ("The worker stopped. Queued again", "")


@pytest.mark.parametrize("said", [[], [page("loading", 3, model="ocr@1")]])
def test_loading_is_told_apart_from_running(said: list[Happened]) -> None:
    timings = {"read_ms": 1000, "load_ms": 4000, "run_ms": 2000}
    steps = page_steps([QUEUED, page("running", 2), *said, page("succeeded", 9, timings=timings)], 1)
    named = "Loading the model ocr@1" if said else "Loading the model"
    assert words(steps)[1:] == [
        ("Started", "1.0 s"),
        (named, "4.0 s"),
        ("Reading", "2.0 s"),
        ("Done", ""),
    ]


def test_a_page_that_was_taken_over_has_no_steps() -> None:
    assert page_steps([QUEUED, RUNNING, page("running", 3, number=2)], 1) == []


def test_a_page_of_a_canceled_job_ends_with_it() -> None:
    events = [QUEUED, page("running", 2, attempt=1), Happened("job.canceled", 3)]
    assert words(page_steps(events, 1))[-1] == ("Canceled", "")


def test_loading_is_over_with_the_next_event_of_the_page() -> None:
    events = [page("running", 1), page("loading", 2)]
    assert is_loading(events, 1)
    assert not is_loading([*events, page("succeeded", 3)], 1)
    assert not is_loading(events, 2)


def test_shares_are_of_what_took_time() -> None:
    done = page("succeeded", 3, timings={"read_ms": 12, "load_ms": 0, "run_ms": 480})
    assert [(share.words, share.ms) for share in shares([done], 1)] == [
        ("Opening the page", 12),
        ("Reading", 480),
    ]


def test_an_event_from_before_times_were_recorded_has_no_shares() -> None:
    assert shares([page("succeeded", 3)], 1) == []
