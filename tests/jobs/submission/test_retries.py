"""Tests of retries: finished pages are taken over at no charge, and work under way is not done twice."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import connections

from jobs.core import states
from jobs.core.errors import JobNotFinished, NothingToRetry
from jobs.core.models import Job
from jobs.queue.settlement import Failure, fail_page
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import Desk

BROKEN = Failure("document_corrupt", "The page cannot be read.")


def test_a_retry_takes_over_finished_pages_at_no_charge(desk: Desk) -> None:
    old = desk.submit(pages=3)
    first, second, third = desk.pages(old)
    desk.finish(first)
    fail_page(desk.claimed(second), BROKEN, may_retry=False)
    desk.finish(third)
    new = retry_job(identity=desk.identity, job_id=old.id)
    assert [page.state for page in desk.pages(new)] == [states.SUCCEEDED, states.QUEUED, states.SUCCEEDED]
    desk.finish(desk.pages(new)[1])
    ended = desk.again(new)
    assert (ended.state, ended.retry_of_id, ended.cost_micros) == (states.SUCCEEDED, old.id, 1500)
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 3


def test_pages_that_are_taken_over_stand_with_the_new_ones_in_order_of_time(desk: Desk) -> None:
    old = desk.submit(pages=2)
    desk.finish(desk.pages(old)[0])
    fail_page(desk.claimed(desk.pages(old)[1]), BROKEN, may_retry=False)
    new = retry_job(identity=desk.identity, job_id=old.id)
    ids = [page.id for page in desk.pages(new)]
    assert {page_id.version for page_id in ids} == {7}
    assert min(ids) > max(page.id for page in desk.pages(old))


def test_only_what_ended_badly_can_be_retried(desk: Desk) -> None:
    running, done = desk.submit(), desk.submit()
    desk.finish(desk.pages(done)[0])
    with pytest.raises(JobNotFinished):
        retry_job(identity=desk.identity, job_id=running.id)
    with pytest.raises(NothingToRetry):
        retry_job(identity=desk.identity, job_id=done.id)


def test_asking_again_for_a_retry_gives_the_one_under_way(desk: Desk) -> None:
    old = desk.submit()
    fail_page(desk.claimed(desk.pages(old)[0]), BROKEN, may_retry=False)
    first = retry_job(identity=desk.identity, job_id=old.id)
    assert retry_job(identity=desk.identity, job_id=old.id).id == first.id
    cancel_job(identity=desk.identity, job_id=first.id)
    assert retry_job(identity=desk.identity, job_id=old.id).id != first.id


def test_a_retry_that_is_asked_for_again_after_it_succeeded_is_the_same_one(desk: Desk) -> None:
    """A caller that lost the response of the first retry asks again, when the job has already ended."""
    old = desk.submit(pages=2)
    fail_page(desk.claimed(desk.pages(old)[0]), BROKEN, may_retry=False)
    desk.finish(desk.pages(old)[1])
    first = retry_job(identity=desk.identity, job_id=old.id)
    desk.finish(desk.pages(first)[0])
    assert retry_job(identity=desk.identity, job_id=old.id).id == first.id
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 2


def test_a_retry_after_one_that_did_not_succeed_goes_on_where_that_one_came_to(desk: Desk) -> None:
    """No page is charged a second time."""
    old = desk.submit(pages=3)
    for page in desk.pages(old):
        fail_page(desk.claimed(page), BROKEN, may_retry=False)
    first = retry_job(identity=desk.identity, job_id=old.id)
    done, failed, _ = desk.pages(first)
    desk.finish(done)
    fail_page(desk.claimed(failed), BROKEN, may_retry=False)
    cancel_job(identity=desk.identity, job_id=first.id)
    second = retry_job(identity=desk.identity, job_id=old.id)
    assert (second.retry_of_id, second.pages_succeeded) == (old.id, 1)
    assert [page.state for page in desk.pages(second)] == [states.SUCCEEDED, states.QUEUED, states.QUEUED]
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 1


def test_a_retry_of_a_retry_is_one_of_the_first_job_as_well(desk: Desk) -> None:
    """A second retry of either job runs nothing beside the work under way, and charges no page twice."""
    first = desk.submit()
    fail_page(desk.claimed(desk.pages(first)[0]), BROKEN, may_retry=False)
    second = retry_job(identity=desk.identity, job_id=first.id)
    fail_page(desk.claimed(desk.pages(second)[0]), BROKEN, may_retry=False)
    third = retry_job(identity=desk.identity, job_id=second.id)
    assert retry_job(identity=desk.identity, job_id=first.id).id == third.id
    desk.finish(desk.pages(third)[0])
    for job in (first, second):
        assert retry_job(identity=desk.identity, job_id=job.id).id == third.id
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.count() == 1


def test_a_retry_of_what_was_retried_in_another_way_goes_on_where_that_came_to(desk: Desk) -> None:
    first = desk.submit(pages=2)
    cancel_job(identity=desk.identity, job_id=first.id)
    second = retry_job(identity=desk.identity, job_id=first.id)
    cancel_job(identity=desk.identity, job_id=second.id)
    beside = retry_job(identity=desk.identity, job_id=first.id)
    desk.finish(desk.pages(beside)[0])
    cancel_job(identity=desk.identity, job_id=beside.id)
    third = retry_job(identity=desk.identity, job_id=second.id)
    assert (third.retry_of_id, third.pages_succeeded) == (second.id, 1)


def test_retries_of_several_of_a_chain_at_once_make_one_job(desk: Desk) -> None:
    first = desk.submit()
    cancel_job(identity=desk.identity, job_id=first.id)
    second = retry_job(identity=desk.identity, job_id=first.id)
    cancel_job(identity=desk.identity, job_id=second.id)

    def again(job: Job) -> UUID:
        try:
            return retry_job(identity=desk.identity, job_id=job.id).id
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(again, [first, second] * 4))
    assert len(made) == 1
