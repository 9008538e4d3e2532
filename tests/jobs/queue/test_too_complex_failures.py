"""Test that a document with two unreadable pages is given up, and that its jobs end as with any failed pages."""

from uuid import UUID

import pytest

from jobs.core import states
from jobs.core.models import Document, DocumentPage, Event, Job
from jobs.documents.too_complex_pages import CODE, DETAIL
from jobs.queue import too_complex_failures
from jobs.queue.claims import Claim
from jobs.queue.job_ends import Failure
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tests.jobs.conftest import Desk

FAILURE = Failure(CODE, "Reading the document needs more than 30 s.")


def claimed(desk: Desk, job: Job, number: int) -> Claim:
    return desk.claimed(desk.pages(job)[number - 1])


def fail(desk: Desk, job: Job, number: int) -> list[UUID]:
    """Fail the page and return the documents that were given up with it."""
    claim, given_up = claimed(desk, job, number), list[UUID]()
    assert claim.document is not None
    assert too_complex_failures.fail_too_complex(claim, claim.document, FAILURE, on_end=given_up.append) == "failed"
    return given_up


def failed(desk: Desk, job: Job) -> list[int]:
    return [page.number for page in desk.pages(job) if (page.state, page.error_code) == (states.FAILED, CODE)]


def test_one_page_fails_alone(desk: Desk) -> None:
    job = desk.submit(pages=3)
    assert fail(desk, job, 2) == []
    assert failed(desk, job) == [2]
    assert desk.again(job).state == states.RUNNING


def test_a_second_one_ends_those_that_wait_and_so_the_job(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(too_complex_failures, "BATCH", 3)
    job = desk.submit(pages=9)
    desk.finish(desk.pages(job)[0])
    fail(desk, job, 2)
    assert fail(desk, job, 5) == [job.document_id]
    assert failed(desk, job) == list(range(2, 10))
    assert desk.pages(job)[8].error_detail == DETAIL
    job = desk.again(job)
    assert (job.state, job.pages_succeeded, job.pages_failed) == (states.PARTIALLY_SUCCEEDED, 1, 8)
    with unit_of_work(desk.identity.tenant_id):
        told = [event for event in Event.objects.filter(job=job).order_by("seq") if event.type != "page.running"]
    assert [event.data["pages_done"] for event in told if event.type == "page.failed"] == list(range(2, 10))
    assert told[-1].type == "job.partially_succeeded"


def test_what_is_with_a_worker_or_was_drawn_before_is_left_alone(desk: Desk) -> None:
    job = desk.submit(pages=5)
    claimed(desk, job, 3)
    with unit_of_work(desk.identity.tenant_id):
        assert job.document_id is not None
        drawn = {"width_px": 1, "height_px": 1, "picture": "none", "picture_type": "image/png"}
        DocumentPage.objects.create(tenant_id=desk.identity.tenant_id, document_id=job.document_id, number=4, **drawn)
    fail(desk, job, 1)
    fail(desk, job, 2)
    assert failed(desk, job) == [1, 2, 5]
    assert desk.again(job).state == states.RUNNING


def test_another_job_of_the_document_ends_with_the_first_page_that_is_claimed(desk: Desk) -> None:
    first = desk.submit(pages=4)
    assert first.document is not None
    fail(desk, first, 1)
    second = desk.submit_document(first.document)
    claim = claimed(desk, second, 1)
    assert claim.document is not None
    assert claim.document.too_complex_pages == (1,)
    assert too_complex_failures.fail_too_complex(claim, claim.document, FAILURE, on_end=list[UUID]().append) == "failed"
    assert failed(desk, second) == [1], "the same page again is no second one"
    fail(desk, second, 4)
    third = desk.submit_document(first.document)
    fail(desk, third, 2)
    assert failed(desk, third) == [1, 2, 3, 4]
    assert desk.again(third).state == states.FAILED


def test_after_a_day_its_pages_are_read_again(desk: Desk) -> None:
    job = desk.submit(pages=4)
    fail(desk, job, 1)
    assert job.document_id is not None
    with operator_work():
        document = Document.objects.get(id=job.document_id)
        assert document.too_complex_at is not None
        document.too_complex_at = document.too_complex_at.replace(year=document.too_complex_at.year - 1)
        document.save(update_fields=["too_complex_at"])
    assert fail(desk, job, 2) == []
    assert failed(desk, job) == [1, 2]
