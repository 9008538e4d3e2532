"""Tests that the rows that record an erasure go after a year, and nothing that is still in use."""

from uuid import UUID

import pytest
from pytest_django import Settings

from jobs.core.models import Document, Event, Job
from jobs.documents.job_selectors import get_job
from jobs.queue.settlement import Failure, fail_page
from jobs.retention.documents import delete_document, erase_document_and_jobs
from jobs.retention.erasing import erase_job
from jobs.retention.forgetting import forget_erased
from jobs.submission.retries import retry_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tests.jobs.conftest import Desk


def erased(desk: Desk) -> Job:
    job = desk.submit_document(desk.document(1))
    desk.finish(desk.pages(job)[0])
    erase_document_and_jobs(identity=desk.identity, document_id=job.document_id)
    return job


def erased_days_ago(desk: Desk, job: Job, days: int) -> None:
    moment = f"now() - interval '{days} days'"
    desk.rewrite("jobs_job", f"UPDATE jobs_job SET erased_at = {moment} WHERE id = %s", job.id)
    if job.document_id:
        desk.sql(f"UPDATE jobs_document SET deleted_at = {moment} WHERE id = %s", job.document_id)


def left(desk: Desk) -> tuple[set[UUID], set[UUID]]:
    """Return the ids of the jobs and documents that are left."""
    with unit_of_work(desk.identity.tenant_id):
        return set(Job.objects.values_list("id", flat=True)), set(Document.objects.values_list("id", flat=True))


def test_what_was_erased_is_forgotten_after_a_year_and_not_before(desk: Desk) -> None:
    old, young = erased(desk), erased(desk)
    erased_days_ago(desk, old, 366)
    erased_days_ago(desk, young, 364)
    forget_erased()
    assert left(desk) == ({young.id}, {young.document_id})
    with unit_of_work(desk.identity.tenant_id):
        assert not Event.objects.filter(job_id=old.id).exists()
        with pytest.raises(NotFound):
            get_job(old.id)
        assert UsageRecord.objects.count() == 2, "the bill is"


def test_with_0_nothing_is_ever_forgotten(desk: Desk, settings: Settings) -> None:
    settings.MAAS_KEEP_TOMBSTONES_DAYS = 0
    job = erased(desk)
    erased_days_ago(desk, job, 4000)
    forget_erased()
    assert left(desk) == ({job.id}, {job.document_id})


def test_what_is_not_erased_is_not_forgotten_however_old(desk: Desk) -> None:
    job = desk.submit_document(desk.document(1))
    desk.finish(desk.pages(job)[0])
    desk.rewrite("jobs_job", "UPDATE jobs_job SET finished_at = now() - interval '4000 days' WHERE id = %s", job.id)
    forget_erased()
    assert left(desk) == ({job.id}, {job.document_id})


def test_a_document_is_remembered_as_long_as_a_job_of_it(desk: Desk) -> None:
    job = desk.submit_document(desk.document(1))
    desk.finish(desk.pages(job)[0])
    delete_document(identity=desk.identity, document_id=job.document_id)
    assert job.document_id
    desk.sql("UPDATE jobs_document SET deleted_at = now() - interval '400 days' WHERE id = %s", job.document_id)
    forget_erased()
    assert left(desk) == ({job.id}, {job.document_id})


def test_a_job_is_remembered_as_long_as_one_that_retried_it(desk: Desk) -> None:
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), Failure("odd", "odd"), may_retry=False)
    again = retry_job(identity=desk.identity, job_id=job.id)
    desk.finish(desk.pages(again)[0])
    erase_job(identity=desk.identity, job_id=job.id)
    erased_days_ago(desk, job, 400)
    forget_erased()
    assert left(desk)[0] == {job.id, again.id}
    erase_job(identity=desk.identity, job_id=again.id)
    erased_days_ago(desk, again, 400)
    forget_erased()
    assert left(desk)[0] == set()
