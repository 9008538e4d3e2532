import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from inference.core.contracts import WorkRefused
from inference.registry.services import set_paused
from jobs.core.errors import IdempotencyKeyReused, RequestInProgress
from jobs.core.models import Document, FileToErase, Job
from jobs.idempotency.expiry import REMEMBERED
from jobs.idempotency.idempotent_requests import Answered
from jobs.submission import allowance, services
from jobs.submission.cancellations import cancel_job
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest
from tenants.billing.ledger.errors import PaymentRequired
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tenants.limits.rates.limits import caller_limits
from tenants.limits.rates.rates import Rates
from tenants.limits.rates.spending import Spending
from tests.jobs.conftest import Desk
from tests.jobs.idempotency.conftest import Submit, age_keys, jobs_of, keys_of
from tests.samples.pdfs import text_pdf
from tests.samples.uploads import arrived

MANY = 50


def test_the_same_request_under_the_same_key_is_one_job(desk: Desk, submit: Submit) -> None:
    first, again = submit(), submit()
    assert (first.replayed, again.replayed) == (False, True)
    assert again.made.id == first.made.id
    assert jobs_of(desk.identity) == 1


def test_without_a_key_each_request_is_a_job(submit: Submit) -> None:
    assert submit(key=None).made.id != submit(key=None).made.id


def test_a_replay_gives_the_job_as_it_stands_now(desk: Desk, submit: Submit) -> None:
    job = submit().made
    desk.finish(desk.pages(job)[0])
    assert submit().made.state == "succeeded"
    canceled = submit(key="other").made
    cancel_job(identity=desk.identity, job_id=canceled.id)
    assert submit(key="other").made.state == "canceled"


@pytest.mark.parametrize("key", [None, "order-1"])
def test_a_document_whose_job_is_refused_at_the_last_moment_leaves_nothing_behind(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    def refuse(*_: object) -> None:
        raise PaymentRequired("Another job took the last of the money.")

    request = JobRequest(model=desk.version.served_model.name)
    for folder in ("first", "again"):
        (tmp_path / folder).mkdir()
    with monkeypatch.context() as refusing:
        refusing.setattr(services, "hold_for", refuse)
        with pytest.raises(PaymentRequired):
            submit_once(
                identity=desk.identity,
                request=request,
                key=key,
                upload=arrived(text_pdf("one"), tmp_path / "first" / "a.pdf"),
            )
    assert jobs_of(desk.identity) == 0
    with unit_of_work(desk.identity.tenant_id):
        assert not Document.objects.exists()
        assert not FileToErase.objects.exists(), "its order goes once its file is erased"
    again = arrived(text_pdf("one"), tmp_path / "again" / "a.pdf")
    assert submit_once(identity=desk.identity, request=request, key="order-2", upload=again).status == 202


def test_of_fifty_at_once_under_one_key_one_makes_a_job_and_the_others_get_it_or_are_told_to_come_again(
    desk: Desk, submit: Submit
) -> None:
    made = fifty_at_once(lambda _: submit())
    assert_one_job(desk, made)
    assert submit().made.id == made[0].made.id


def test_of_fifty_uploads_at_once_one_makes_a_job_and_the_pages_count_once(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unhurried = Spending(settings.MAAS_REDIS_URL, timeout_s=20)
    monkeypatch.setattr(allowance, "spending", lambda: unhurried)
    limits = caller_limits(desk.identity.tenant_id, Rates(pages_per_minute=6))
    identity = replace(desk.identity, rates=limits)
    request = JobRequest(model=desk.version.served_model.name)
    upload = arrived(text_pdf("one", "two", "three"), tmp_path / "a.pdf")

    def send(_: int = 0) -> Answered[Job]:
        return submit_once(identity=identity, request=request, key="order-1", upload=upload)

    made = fifty_at_once(send)
    assert_one_job(desk, made)
    assert send().made.id == made[0].made.id
    standings = unhurried.standings(limits.pages)
    assert standings is not None
    assert standings[0].left == 3


def fifty_at_once(send: Callable[[int], Answered[Job]]) -> list[Answered[Job]]:
    """Send fifty requests at once, and return the responses of those that were not told to try again."""
    begin = threading.Barrier(MANY)

    def one(number: int) -> Answered[Job] | None:
        try:
            begin.wait()
            return send(number)
        except RequestInProgress:
            return None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(MANY) as threads:
        return [answered for answered in threads.map(one, range(MANY)) if answered]


def assert_one_job(desk: Desk, made: list[Answered[Job]]) -> None:
    assert len({one.made.id for one in made}) == 1
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
    assert theirs.made.id != first.made.id


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
    assert submit().made.id == first.made.id


def test_after_a_day_the_key_is_new(desk: Desk, submit: Submit) -> None:
    first = submit()
    age_keys(desk.identity, REMEMBERED - timedelta(minutes=1))
    assert submit().replayed
    age_keys(desk.identity, timedelta(minutes=1))
    renewed = submit("another text")
    assert not renewed.replayed
    assert renewed.made.id != first.made.id
    assert submit("another text").made.id == renewed.made.id
