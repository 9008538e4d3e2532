"""Tests of jobs with a deadline."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections

from jobs.core import states
from jobs.core.deadlines import Deadlines
from jobs.core.errors import Fenced
from jobs.core.models import Event, Job
from jobs.queue.settlement import finish_page
from jobs.submission import overdue
from jobs.submission.overdue import end_overdue_jobs
from jobs.submission.services import JobRequest, cancel_job, end_overdue_job, retry_job, submit_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import DONE, Desk


def submit(desk: Desk, deadlines: Deadlines, pages: int = 3) -> Job:
    request = JobRequest(
        model=desk.version.served_model.name, document_id=desk.document(pages).id, deadlines=deadlines
    )
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
    with pytest.raises(Fenced):
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
def test_one_that_cannot_be_ended_holds_up_no_other(
    desk: Desk, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overdue, "AT_ONCE", at_once)
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
