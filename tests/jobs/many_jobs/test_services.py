"""Tests of changes to many jobs at once."""

from typing import ClassVar

import pytest
from django.core.files.storage import FileSystemStorage
from pytest_django import Settings

from jobs.core.models import FileToErase, Job
from jobs.many_jobs import services as many_jobs
from jobs.many_jobs.services import (
    LEFT,
    MAX_AT_ONCE,
    Outcome,
    cancel_jobs,
    consequences_of_deleting,
    delete_documents_of,
    retry_jobs,
)
from jobs.submission.cancellations import cancel_job
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk


def codes(outcomes: list[Outcome]) -> list[str]:
    return [outcome.code for outcome in outcomes]


def ids(*jobs: Job) -> list[str]:
    return [str(job.id) for job in jobs]


def test_one_that_has_ended_keeps_no_other_from_being_canceled(desk: Desk) -> None:
    ended, waiting = desk.submit(), desk.submit()
    desk.finish(desk.pages(ended)[0])
    outcomes = cancel_jobs(identity=desk.identity, job_ids=[*ids(ended, waiting), str(uuid7()), "nonsense"])
    assert codes(outcomes) == ["ended", "canceled", "not_found", "not_found"]
    assert desk.again(waiting).state == "canceled"


def test_what_is_canceled_already_has_ended(desk: Desk) -> None:
    job = desk.submit()
    assert [codes(cancel_jobs(identity=desk.identity, job_ids=ids(job))) for _ in range(2)] == [
        ["canceled"],
        ["ended"],
    ]


def test_retries_say_of_each_why_not(desk: Desk) -> None:
    done, waiting, canceled = desk.submit(), desk.submit(), desk.submit()
    desk.finish(desk.pages(done)[0])
    cancel_job(identity=desk.identity, job_id=canceled.id)
    outcomes = retry_jobs(identity=desk.identity, job_ids=ids(done, waiting, canceled))
    assert codes(outcomes) == ["nothing_to_retry", "job_not_finished", "retried"]


def test_a_document_of_several_jobs_is_deleted_once_for_all_of_them(desk: Desk) -> None:
    job = desk.submit(pages=2)
    request = JobRequest(model=desk.version.key, document_id=job.document_id)
    twin = submit_job(identity=desk.identity, request=request)
    inline = desk.submit()
    outcomes = delete_documents_of(identity=desk.identity, job_ids=ids(job, twin, inline))
    assert codes(outcomes) == ["deleted", "deleted", "no_document"]
    assert [desk.again(one).state for one in (job, twin, inline)] == ["canceled", "canceled", "queued"]
    assert codes(delete_documents_of(identity=desk.identity, job_ids=ids(job))) == ["document_deleted"]


def test_consequences_of_deleting_are_counted_before(desk: Desk) -> None:
    job = desk.submit(pages=2)
    submit_job(identity=desk.identity, request=JobRequest(model=desk.version.key, document_id=job.document_id))
    found = consequences_of_deleting(identity=desk.identity, job_ids=ids(job, desk.submit()))
    assert (found.names, found.unfinished, found.others, found.without_document) == (["a.pdf"], 2, 1, 1)


@pytest.fixture
def strength(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(many_jobs, "MAX_PAGES_AT_ONCE", 5)
    monkeypatch.setattr(many_jobs, "MAX_PAGES_SENT_AGAIN", 5)
    return 5


def test_what_has_too_many_pages_together_is_left_and_the_first_is_always_done(desk: Desk, strength: int) -> None:
    jobs = [desk.submit(pages=pages) for pages in (strength + 1, 2)]
    some = [desk.submit(pages=pages) for pages in (2, 2, 2)]
    assert codes(cancel_jobs(identity=desk.identity, job_ids=ids(*jobs))) == ["canceled", LEFT]
    assert codes(cancel_jobs(identity=desk.identity, job_ids=ids(*jobs, *some))) == [
        "ended",
        "canceled",
        "canceled",
        LEFT,
        LEFT,
    ]
    assert codes(retry_jobs(identity=desk.identity, job_ids=ids(some[2], *jobs))) == [
        "job_not_finished",
        "retried",
        LEFT,
    ]
    assert codes(delete_documents_of(identity=desk.identity, job_ids=ids(*jobs))) == ["deleted", LEFT]
    assert codes(delete_documents_of(identity=desk.identity, job_ids=ids(*jobs))) == [
        "document_deleted",
        "deleted",
    ]


class StorageAway(FileSystemStorage):
    asked: ClassVar[list[str]] = []

    def delete(self, name: str) -> None:
        self.asked.append(name)
        raise OSError("away")


def test_storage_that_is_away_is_waited_for_once_and_not_for_each_document(desk: Desk, settings: Settings) -> None:
    jobs = [desk.submit(pages=2) for _ in range(3)]
    backend = {"BACKEND": f"{__name__}.{StorageAway.__name__}"}
    settings.STORAGES = {**settings.STORAGES, "default": backend}
    StorageAway.asked.clear()
    assert codes(delete_documents_of(identity=desk.identity, job_ids=ids(*jobs))) == ["deleted"] * 3
    assert len(StorageAway.asked) == 1
    with unit_of_work(desk.identity.tenant_id):
        assert FileToErase.objects.exists(), "the scheduler's"


def test_nothing_of_another_tenant_is_changed(desk: Desk, other_identity: Identity) -> None:
    there = Desk(other_identity, desk.version)
    foreign = there.submit(pages=2)
    for change in (cancel_jobs, retry_jobs, delete_documents_of):
        assert codes(change(identity=desk.identity, job_ids=ids(foreign))) == ["not_found"]
    with unit_of_work(other_identity.tenant_id):
        assert Job.objects.get(id=foreign.id).state == "queued"


def test_more_than_may_be_changed_at_once_are_refused(desk: Desk) -> None:
    with pytest.raises(InvalidRequest, match=f"You sent {MAX_AT_ONCE + 1} jobs"):
        cancel_jobs(identity=desk.identity, job_ids=[str(uuid7()) for _ in range(MAX_AT_ONCE + 1)])
