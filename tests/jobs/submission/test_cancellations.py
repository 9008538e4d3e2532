"""Tests of jobs that end before their work is done: canceled, or at a deadline."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections

from jobs.core import states
from jobs.core.deadlines import Deadlines
from jobs.core.errors import DocumentDeleted, JobFinished, LeaseLost
from jobs.core.models import Event, Job
from jobs.queue.settlement import finish_page
from jobs.retention.documents import delete_document
from jobs.submission import cancellations
from jobs.submission.cancellations import cancel_job, end_overdue_job, end_overdue_jobs
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import DONE, Desk


def submit(desk: Desk, deadlines: Deadlines, pages: int = 3) -> Job:
    request = JobRequest(model=desk.version.served_model.name, document_id=desk.document(pages).id, deadlines=deadlines)
    return submit_job(identity=desk.identity, request=request)


def let_time_pass(desk: Desk, job: Job, seconds: int) -> None:
    desk.sql(
        f"UPDATE jobs_job SET expires_at = expires_at - interval '{seconds} s',"
        f" cancel_at = cancel_at - interval '{seconds} s' WHERE id = %s",
        job.id,
    )


def test_times_are_set_by_the_database_from_the_acceptance(desk: Desk) -> None:
    job = submit(desk, Deadlines(expires_after_s=900, cancel_after_s=60))
    assert job.expires_at is not None is not job.cancel_at
    assert job.expires_at - job.cancel_at == timedelta(seconds=840)
    plain = desk.submit()
    assert (plain.expires_at, plain.cancel_at) == (None, None)


@pytest.mark.parametrize("deadlines", [Deadlines(expires_after_s=60), Deadlines(cancel_after_s=60)])
def test_no_page_begins_between_its_jobs_deadline_and_the_next_look(desk: Desk, deadlines: Deadlines) -> None:
    job = submit(desk, deadlines)
    first, second, _ = desk.pages(job)
    assert desk.claim(first) is not None
    let_time_pass(desk, job, 60)
    assert desk.claim(second) is None
    assert (desk.again(job).state, desk.pages(job)[1].attempt) == (states.RUNNING, 0)


def test_a_job_that_is_not_done_in_time_expires_and_what_was_done_is_kept_and_charged(desk: Desk) -> None:
    job = submit(desk, Deadlines(expires_after_s=60))
    first, second, third = desk.pages(job)
    desk.finish(first)
    running = desk.claimed(second)
    end_overdue_jobs()
    assert desk.again(job).state == states.RUNNING
    let_time_pass(desk, job, 60)
    assert end_overdue_jobs() >= 1
    after = desk.again(job)
    assert (after.state, after.error_code, after.pages_succeeded) == (states.EXPIRED, "job_expired", 1)
    assert after.finished_at is not None
    assert [page.state for page in desk.pages(job)] == [states.SUCCEEDED, states.EXPIRED, states.EXPIRED]
    assert desk.claim(third) is None
    with pytest.raises(LeaseLost):
        finish_page(running, DONE)
    with unit_of_work(job.tenant_id):
        assert UsageRecord.objects.count() == 1
        last = Event.objects.filter(job=job).order_by("seq").last()
    assert last is not None
    assert (last.type, last.data["state"]) == ("job.expired", "expired")


def test_cancel_after_cancels(desk: Desk) -> None:
    job = submit(desk, Deadlines(cancel_after_s=60))
    let_time_pass(desk, job, 60)
    end_overdue_jobs()
    after = desk.again(job)
    assert (after.state, after.error_code) == (states.CANCELED, "")


@pytest.mark.parametrize(
    ("deadlines", "state"),
    [
        (Deadlines(30, 60), states.EXPIRED),
        (Deadlines(60, 30), states.CANCELED),
        (Deadlines(30, 30), states.EXPIRED),
    ],
)
def test_of_two_times_the_earlier_decides(desk: Desk, deadlines: Deadlines, state: str) -> None:
    job = submit(desk, deadlines)
    let_time_pass(desk, job, 100)
    end_overdue_jobs()
    assert desk.again(job).state == state


def test_a_job_that_has_ended_stays_as_it_is(desk: Desk) -> None:
    job = submit(desk, Deadlines(expires_after_s=60), pages=2)
    cancel_job(identity=desk.identity, job_id=job.id)
    let_time_pass(desk, job, 60)
    end_overdue_jobs()
    assert not end_overdue_job(tenant_id=job.tenant_id, job_id=job.id)
    assert desk.again(job).state == states.CANCELED


def test_a_retry_of_an_expired_job_has_all_the_time_it_needs(desk: Desk) -> None:
    job = submit(desk, Deadlines(expires_after_s=60))
    desk.finish(desk.pages(job)[0])
    let_time_pass(desk, job, 60)
    end_overdue_jobs()
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert (again.expires_at, again.cancel_at, again.pages_succeeded) == (None, None, 1)


@pytest.mark.parametrize("at_once", [1, 200])
def test_one_that_cannot_be_ended_holds_up_no_other(desk: Desk, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancellations, "AT_ONCE", at_once)
    jobs = [submit(desk, Deadlines(expires_after_s=60)) for _ in range(3)]
    for job in jobs:
        let_time_pass(desk, job, 60)
    with unit_of_work(jobs[0].tenant_id):
        Job.objects.select_for_update().get(id=jobs[0].id)
        _in_another_thread()
    assert [desk.again(job).state for job in jobs] == [states.QUEUED, states.EXPIRED, states.EXPIRED]
    end_overdue_jobs()
    assert desk.again(jobs[0]).state == states.EXPIRED


def _in_another_thread() -> None:
    def end() -> None:
        try:
            end_overdue_jobs()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(end).result(30)


def test_canceling_a_queued_job_leaves_nothing_to_claim(desk: Desk) -> None:
    job = desk.submit(pages=2)
    assert cancel_job(identity=desk.identity, job_id=job.id).state == states.CANCELED
    assert [desk.claim(page) for page in desk.pages(job)] == [None, None]


def test_canceling_a_running_job_throws_the_running_page_away_unpaid(desk: Desk) -> None:
    job = desk.submit(pages=2)
    first, second = desk.pages(job)
    desk.finish(first)
    claim = desk.claimed(second)
    cancel_job(identity=desk.identity, job_id=job.id)
    with pytest.raises(LeaseLost):
        finish_page(claim, DONE)
    ended = desk.again(job)
    assert (ended.state, ended.pages_succeeded, ended.cost_micros) == (states.CANCELED, 1, 1500)


def test_canceling_twice_is_harmless_but_an_ended_job_says_so(desk: Desk) -> None:
    job, done = desk.submit(), desk.submit()
    desk.finish(desk.pages(done)[0])
    cancel_job(identity=desk.identity, job_id=job.id)
    assert cancel_job(identity=desk.identity, job_id=job.id).state == states.CANCELED
    with pytest.raises(JobFinished, match="succeeded"):
        cancel_job(identity=desk.identity, job_id=done.id)


def test_erasing_a_document_cancels_its_unfinished_jobs(desk: Desk) -> None:
    job = desk.submit(pages=2)
    assert job.document_id is not None
    delete_document(identity=desk.identity, document_id=job.document_id)
    assert desk.again(job).state == states.CANCELED
    with pytest.raises(DocumentDeleted):
        delete_document(identity=desk.identity, document_id=job.document_id)
    with pytest.raises(DocumentDeleted):
        retry_job(identity=desk.identity, job_id=job.id)
