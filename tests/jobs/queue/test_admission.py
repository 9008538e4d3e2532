"""Tests of refusals because of the age of the queue, over the real tables."""

import json
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from pytest_django import Settings

from inference.registry.models import ModelVersion
from jobs.core.errors import BacklogTooLong, QueueTooLong
from jobs.core.models import Document, Job
from jobs.core.priorities import BULK, INTERACTIVE
from jobs.core.recent_refusals import was_turned_away
from jobs.intake.intake import refuse_known_job
from jobs.queue import admission
from jobs.queue.admission import refuse_known
from jobs.queue.queue_age import Queue
from jobs.submission.cancellations import cancel_job
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import APP, OPERATOR, unit_of_work
from tenants.core.errors import DomainError
from tests.jobs.conftest import Desk
from tests.jobs.queue.test_fair_release import flood, submit
from tests.samples.pdfs import scanned_pdf
from tests.samples.uploads import arrived

pytestmark = pytest.mark.usefixtures("quiet", "nothing_seen")
LIMIT_S = 10
Execute = Callable[..., object]


@pytest.fixture(autouse=True)
def _limits(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MAAS_MAX_QUEUE_AGE_STANDARD_S = LIMIT_S
    settings.MAAS_MAX_QUEUE_AGE_BULK_S = 1_000
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this process saw a moment ago."""
    monkeypatch.setattr(admission, "_seen", {})


@pytest.fixture
def flooded(worker: None, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill the queue with 200 pages, and forget how it was before."""
    flood(desk, 200)
    forget(monkeypatch)


def refused(desk: Desk, priority: int | None = None) -> DomainError:
    with pytest.raises((BacklogTooLong, QueueTooLong)) as caught:
        submit(desk) if priority is None else submit(desk, priority)
    return caught.value


def jobs_of(desk: Desk) -> int:
    with unit_of_work(desk.identity.tenant_id):
        return Job.objects.count()


@pytest.mark.usefixtures("flooded")
def test_a_flood_is_refused_for_its_owner_alone_and_leaves_nothing(desk: Desk, rival: Desk) -> None:
    before = jobs_of(desk)
    refusal = refused(desk)
    assert (refusal.code, jobs_of(desk)) == ("backlog_too_long", before)
    assert was_turned_away(desk.identity.tenant_id)
    assert not was_turned_away(rival.identity.tenant_id)
    # The 200 pages take 25 s at 8 a second. The tenant is admitted below 8 s.
    assert 17 <= int(str(refusal.extra["retry_after_s"])) <= 22
    assert submit(rival).state == "queued"
    assert submit(desk, BULK).state == "queued"
    assert submit(desk, INTERACTIVE).state == "queued"


@pytest.mark.usefixtures("worker")
def test_a_retry_and_a_file_are_refused_before_anything_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    canceled = submit(desk)
    cancel_job(identity=desk.identity, job_id=canceled.id)
    flood(desk, 200)
    forget(monkeypatch)
    with pytest.raises(BacklogTooLong):
        retry_job(identity=desk.identity, job_id=canceled.id)
    request = JobRequest(model=desk.version.served_model.name)
    upload = arrived(scanned_pdf("no room"), tmp_path / "sent.pdf")
    with pytest.raises(BacklogTooLong):
        submit_once(identity=desk.identity, request=request, key=None, upload=upload)
    with unit_of_work(desk.identity.tenant_id):
        assert not Document.objects.filter(sha256=upload.sha256).exists()


def test_a_retry_looks_at_the_queue_before_it_locks_anything(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    canceled = submit(desk)
    cancel_job(identity=desk.identity, job_id=canceled.id)
    forget(monkeypatch)
    asked: list[str] = []

    def note(execute: Execute, sql: str, *rest: Any) -> object:
        asked.append(sql)
        return execute(sql, *rest)

    with connections[APP].execute_wrapper(note), connections[OPERATOR].execute_wrapper(note):
        retry_job(identity=desk.identity, job_id=canceled.id)
    look = next(place for place, sql in enumerate(asked) if "WITH RECURSIVE line" in sql)
    locks = [place for place, sql in enumerate(asked) if "FOR NO KEY UPDATE" in sql]
    assert look < min(locks)


def test_a_retry_that_is_under_way_is_told_of_however_long_the_queue_is(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    canceled = submit(desk)
    cancel_job(identity=desk.identity, job_id=canceled.id)
    again = retry_job(identity=desk.identity, job_id=canceled.id)
    flood(desk, 200)
    forget(monkeypatch)
    assert retry_job(identity=desk.identity, job_id=canceled.id).id == again.id


@pytest.mark.usefixtures("worker")
def test_whoever_sends_a_key_again_is_told_of_his_job_and_not_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = JobRequest(model=desk.version.served_model.name, input={"text": "hello"})
    first = submit_once(identity=desk.identity, request=request, key="once")
    flood(desk, 200)
    forget(monkeypatch)
    assert submit_once(identity=desk.identity, request=request, key="once").made.id == first.made.id


def test_pages_that_nobody_works_on_refuse_by_their_age(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for page in desk.pages(submit(desk)):
        desk.sql(
            "UPDATE jobs_page SET queue_at = queue_at - interval '1 hour',"
            " run_after = run_after - interval '1 hour', renotify_at = NULL WHERE id = %s",
            page.id,
        )
    forget(monkeypatch)
    refusal = refused(desk)
    assert refusal.code == "queue_too_long"
    assert not was_turned_away(desk.identity.tenant_id), "for what others have waiting"
    assert int(str(refusal.extra["retry_after_s"])) >= 30


@pytest.mark.usefixtures("flooded")
def test_an_upload_is_refused_before_its_file_is_read_by_what_was_just_decided(desk: Desk, rival: Desk) -> None:
    name, tenant_id = desk.version.served_model.name, desk.identity.tenant_id
    refuse_known(tenant_id, {"model": name})
    refused(desk)
    for model in (name, desk.version.key):
        with pytest.raises(BacklogTooLong):
            refuse_known(tenant_id, {"model": model})
    refuse_known(tenant_id, {"model": name, "priority": "bulk"})
    refuse_known(rival.identity.tenant_id, {"model": name})
    refuse_known(tenant_id, {"model": "another"})
    admission._seen[f"{name}@77"] = admission._seen[desk.version.key]
    refuse_known(tenant_id, {"model": name})


@pytest.mark.usefixtures("worker")
def test_who_was_just_refused_takes_no_thread_for_the_next_job(desk: Desk) -> None:
    def sends(asked: object, *headers: tuple[bytes, bytes]) -> BytesIO:
        body = BytesIO(asked if isinstance(asked, bytes) else json.dumps(asked).encode())
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/jobs",
            "headers": headers,
            IDENTITY: desk.identity,
        }
        refuse_known_job(scope, body, len(body.getvalue()))
        assert body.tell() == 0, "Django is to read it from its beginning"
        return body

    wanted = {"model": desk.version.served_model.name, "input": {"text": "a"}}
    sends(wanted)
    flood(desk, 200)
    admission._seen.clear()
    refused(desk)
    with pytest.raises(BacklogTooLong):
        sends(wanted)
    with pytest.raises(BacklogTooLong):
        sends({**wanted, "priority": "standard"})
    sends({**wanted, "priority": "bulk"})
    sends(wanted, (b"idempotency-key", b"k"))
    for odd in (
        b"{",
        b"[" * 50_000,
        b"[1]",
        b"\xff",
        {"model": 5},
        {"model": "another"},
        {**wanted, "priority": []},
    ):
        sends(odd)


@pytest.mark.usefixtures("flooded")
def test_a_refusal_of_long_ago_makes_nobody_look_further(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(desk)
    assert admission.anybody_refused()
    later_s = time.monotonic() + admission.REFUSAL_COUNTS_S + 1.0
    monkeypatch.setattr(time, "monotonic", lambda: later_s)
    assert not admission.anybody_refused()


@pytest.mark.usefixtures("worker")
def test_a_flood_costs_one_look_and_not_one_each(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[object] = []
    real = admission._queue_of

    def counting(version: ModelVersion, key: str) -> Queue:
        looks.append(version)
        return real(version, key)

    monkeypatch.setattr(admission, "_queue_of", counting)
    monkeypatch.setattr(admission, "LOOK_EVERY_S", 60.0)
    for _ in range(20):
        submit(desk)
    assert len(looks) == 1


@pytest.mark.usefixtures("flooded")
def test_with_0_nobody_is_refused(desk: Desk, settings: Settings) -> None:
    settings.MAAS_MAX_QUEUE_AGE_STANDARD_S = 0
    assert submit(desk).state == "queued"
