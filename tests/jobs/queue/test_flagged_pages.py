"""Pages whose results say how well they were read, whether a person must check them, and what they are."""

import json
import math
from typing import Any

import pytest
from django.db import DatabaseError

from inference.core.contracts import Units, WorkOutput
from jobs.core import states
from jobs.core.models import Job, Page
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import Desk
from tests.jobs.queue.conftest import at_once

INVOICE = {"label": "invoice", "probabilities": {"invoice": 0.8, "letter": 0.2}}
LETTER = {"label": "letter", "probabilities": {"invoice": 0.1, "letter": 0.9}}


def output(**fields: Any) -> WorkOutput:
    return WorkOutput({"text": "read", **fields}, Units(pages=1))


def finish(desk: Desk, page: Page, **fields: Any) -> None:
    finish_page(desk.claimed(page), output(**fields))


def flags(page: Page) -> tuple[float | None, bool]:
    return page.quality, page.needs_review


def job_flags(job: Job) -> tuple[int, float | None, str]:
    return job.pages_to_review, job.quality, job.class_label


def test_a_page_that_needs_review_is_marked_and_counted(desk: Desk) -> None:
    job = desk.submit(pages=3)
    first, second, third = desk.pages(job)
    finish(desk, first, quality=0.4, needs_review=True)
    assert job_flags(desk.again(job)) == (1, 0.4, "")
    finish(desk, second, quality=0.9, needs_review=False)
    finish(desk, third)
    assert [flags(page) for page in desk.pages(job)] == [(0.4, True), (0.9, False), (None, False)]
    assert job_flags(desk.again(job)) == (1, 0.4, "")
    assert desk.again(job).needs_review


def test_the_document_gets_its_class_when_its_last_page_ends(desk: Desk) -> None:
    job = desk.submit(pages=3)
    first, second, third = desk.pages(job)
    finish(desk, first, **{"class": INVOICE})
    finish(desk, second, **{"class": LETTER})
    assert desk.again(job).class_label == ""
    fail_page(desk.claimed(third), Failure("document_corrupt", "no"), may_retry=False)
    ended = desk.again(job)
    assert (ended.state, ended.class_label) == (states.PARTIALLY_SUCCEEDED, "invoice")
    assert ended.class_probabilities == {"invoice": 0.5667, "letter": 0.4333}


def test_two_last_pages_at_once_both_count_for_the_class(desk: Desk) -> None:
    job = desk.submit(pages=8)
    claims = [desk.claimed(page) for page in desk.pages(job)]
    at_once(8, lambda number: finish_page(claims[number], output(needs_review=True, **{"class": LETTER})))
    ended = desk.again(job)
    assert (job_flags(ended), ended.class_probabilities) == ((8, None, "letter"), {"letter": 0.9, "invoice": 0.1})


def test_a_canceled_job_keeps_its_count_and_has_no_class(desk: Desk) -> None:
    job = desk.submit(pages=2)
    finish(desk, desk.pages(job)[0], quality=0.2, needs_review=True, **{"class": INVOICE})
    cancel_job(identity=desk.identity, job_id=job.id)
    assert job_flags(desk.again(job)) == (1, 0.2, "")


@pytest.mark.parametrize(
    "fields",
    [
        {"needs_review": "yes", "quality": "x", "class": ["invoice"]},
        {"needs_review": [1], "quality": math.nan, "class": {"label": [], "probabilities": {"a": math.nan}}},
        {"needs_review": None, "quality": math.inf, "class": None},
        {"needs_review": 1, "quality": 1e9, "class": 3},
        {"needs_review": {}, "quality": 10**400, "class": {"label": "a\0", "probabilities": {"a\0": 1.0}}},
    ],
)
def test_values_of_wrong_types_do_not_keep_a_page_from_finishing(desk: Desk, fields: dict[str, Any]) -> None:
    job = desk.submit()
    finish(desk, desk.pages(job)[0], **fields)
    assert flags(desk.pages(job)[0]) == (None, False)
    ended = desk.again(job)
    assert (ended.state, *job_flags(ended)) == (states.SUCCEEDED, 0, None, "")


def test_a_retry_takes_over_what_was_said_about_finished_pages(desk: Desk) -> None:
    job = desk.submit(pages=3)
    first, second, third = desk.pages(job)
    finish(desk, first, quality=0.4, needs_review=True, **{"class": INVOICE})
    finish(desk, second, quality=0.8, **{"class": INVOICE})
    fail_page(desk.claimed(third), Failure("document_corrupt", "no"), may_retry=False)
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert job_flags(desk.again(again)) == (1, 0.4, "")
    finish(desk, desk.pages(again)[2], quality=0.3, needs_review=True, **{"class": LETTER})
    assert job_flags(desk.again(again)) == (2, 0.3, "invoice")


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("jobs_job", "pages_to_review = 0"),
        ("jobs_job", "quality = 1"),
        ("jobs_job", "class_label = 'letter'"),
        ("jobs_job", "class_probabilities = '{}'"),
        ("jobs_page", "needs_review = false"),
        ("jobs_page", "quality = 1"),
        ("jobs_page", "class_probabilities = NULL"),
    ],
)
def test_flags_of_an_ended_page_and_job_cannot_be_changed(desk: Desk, table: str, change: str) -> None:
    job = desk.submit()
    finish(desk, desk.pages(job)[0], quality=0.4, needs_review=True, **{"class": INVOICE})
    row = job.id if table == "jobs_job" else desk.pages(job)[0].id
    with pytest.raises(DatabaseError, match="cannot be changed"):
        desk.sql(f"UPDATE {table} SET {change} WHERE id = %s", row)


def events(job: Job) -> dict[str, dict[str, Any]]:
    with unit_of_work(job.tenant_id):
        return {event.type: event.data for event in job.events.order_by("seq")}


def test_events_say_what_to_check_and_what_the_document_is(desk: Desk) -> None:
    job = desk.submit()
    finish(desk, desk.pages(job)[0], quality=0.4, needs_review=True, **{"class": INVOICE})
    found = events(job)
    page, end = found["page.succeeded"], found["job.succeeded"]
    assert (page["needs_review"], page["quality"], page["class"]) == (True, 0.4, "invoice")
    assert (end["pages_to_review"], end["needs_review"], end["class"]) == (1, True, {**INVOICE, "corrected": False})


def test_events_of_a_plain_result_say_that_nothing_is_to_check(desk: Desk) -> None:
    job = desk.submit()
    finish(desk, desk.pages(job)[0])
    found = events(job)
    page, end = found["page.succeeded"], found["job.succeeded"]
    assert (page["needs_review"], page["quality"], page["class"]) == (False, None, None)
    assert (end["pages_to_review"], end["needs_review"], end["class"]) == (0, False, None)


def test_the_last_event_of_a_canceled_job_counts_what_was_finished(desk: Desk) -> None:
    job = desk.submit(pages=2)
    finish(desk, desk.pages(job)[0], needs_review=True)
    cancel_job(identity=desk.identity, job_id=job.id)
    end = events(job)["job.canceled"]
    assert (end["pages_to_review"], end["needs_review"], end["class"]) == (1, True, None)


def test_the_last_event_stays_small_whatever_labels_a_model_invents(desk: Desk) -> None:
    job = desk.submit(pages=40)
    for number, page in enumerate(desk.pages(job)):
        finish(desk, page, **{"class": {"probabilities": {f"{number:02}" * 30: 1.0}}})
    assert len(json.dumps(events(job)["job.succeeded"])) < 3_000
