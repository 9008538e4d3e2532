from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections

from inference.contracts import WorkRefused
from inference.registry.services import set_paused
from jobs.errors import IdempotencyKeyReused
from jobs.idempotency.expiry import REMEMBERED
from jobs.idempotency.submissions import Submission, submit_once
from jobs.services import JobRequest, cancel_job
from tenants.identity import Identity
from tests.jobs.conftest import Desk

from .conftest import Submit, age_keys, jobs_of, keys_of


def test_the_same_request_under_the_same_key_is_one_job(desk: Desk, submit: Submit) -> None:
    first, again = submit(), submit()
    assert (first.replayed, again.replayed) == (False, True)
    assert again.job.id == first.job.id
    assert jobs_of(desk.identity) == 1


def test_without_a_key_each_request_is_a_job(submit: Submit) -> None:
    assert submit(key=None).job.id != submit(key=None).job.id


def test_a_replay_gives_the_job_as_it_stands_now(desk: Desk, submit: Submit) -> None:
    job = submit().job
    desk.finish(desk.pages(job)[0])
    assert submit().job.state == "succeeded"
    canceled = submit(key="other").job
    cancel_job(identity=desk.identity, job_id=canceled.id)
    assert submit(key="other").job.state == "canceled"


def test_twenty_at_once_under_one_key_make_one_job(desk: Desk, submit: Submit) -> None:
    def send(_: int) -> Submission:
        try:
            return submit()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as threads:
        made = list(threads.map(send, range(20)))
    assert len({one.job.id for one in made}) == 1
    assert [one.replayed for one in made].count(False) == 1
    assert jobs_of(desk.identity) == 1


def test_another_request_under_the_key_is_refused_and_makes_nothing(desk: Desk, submit: Submit) -> None:
    submit()
    with pytest.raises(IdempotencyKeyReused):
        submit("another text")
    assert jobs_of(desk.identity) == 1


def test_a_key_of_another_tenant_is_another_key(submit: Submit, other_identity: Identity) -> None:
    first, theirs = submit(), submit(by=other_identity)
    assert not theirs.replayed
    assert theirs.job.id != first.job.id


def test_a_refused_submission_leaves_its_key_free(desk: Desk, submit: Submit) -> None:
    name = desk.version.served_model.name
    wrong = JobRequest(model=name, input={"text": "hello"}, parameters={"no_such": 1})
    with pytest.raises(WorkRefused):
        submit_once(identity=desk.identity, request=wrong, key="order-1")
    assert keys_of(desk.identity) == 0
    assert not submit().replayed


def test_an_accepted_job_is_given_again_though_its_model_takes_no_more(desk: Desk, submit: Submit) -> None:
    first = submit()
    set_paused(name=desk.version.served_model.name, paused=True)
    assert submit().job.id == first.job.id


def test_after_a_day_the_key_is_new(desk: Desk, submit: Submit) -> None:
    first = submit()
    age_keys(desk.identity, REMEMBERED - timedelta(minutes=1))
    assert submit().replayed
    age_keys(desk.identity, timedelta(minutes=1))
    renewed = submit("another text")
    assert not renewed.replayed
    assert renewed.job.id != first.job.id
    assert submit("another text").job.id == renewed.job.id
