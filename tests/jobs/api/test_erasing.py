"""Test that jobs and documents are erased over the API, and that their erasure is shown afterwards."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from jobs.core.models import Job
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

Call = Callable[..., Any]


@pytest.fixture
def call(identity: Identity) -> Call:
    def send(method: str, path: str, **headers: str) -> Any:
        return Client().generic(method, f"/v1/{path}", headers=headers, **{"maas.identity": identity})  # type: ignore[arg-type]

    return send


def ended(desk: Desk) -> Job:
    job = desk.submit_document(desk.document(1))
    desk.finish(desk.pages(job)[0])
    return job


def test_of_an_erased_job_every_address_says_that_it_is_gone_and_why(desk: Desk, call: Call) -> None:
    job = ended(desk)
    assert call("DELETE", f"jobs/{job.id}").status_code == 204
    asked = [
        *(("GET", f"/{part}") for part in ("result", "result.txt", "result.pdf", "pages", "pages/1", "events")),
        ("GET", ""),
        ("POST", "/cancel"),
        ("POST", "/retry"),
        ("DELETE", ""),
    ]
    for method, part in asked:
        answer = call(method, f"jobs/{job.id}{part}")
        assert (answer.status_code, answer.json()["code"]) == (410, "job_erased"), part
    told = answer.json()
    assert told["erased_reason"] == "request"
    assert "on request" in told["detail"]
    assert (told["job"]["id"], told["job"]["state"]) == (str(job.id), "succeeded")


def test_lists_leave_out_what_is_erased_unless_it_is_asked_for(desk: Desk, call: Call) -> None:
    erased, kept = ended(desk), ended(desk)
    call("DELETE", f"jobs/{erased.id}")
    assert [job["id"] for job in call("GET", "jobs").json()["data"]] == [str(kept.id)]
    listed = call("GET", "jobs?include=erased").json()["data"]
    assert [(job["id"], job["erased_reason"]) for job in listed] == [
        (str(kept.id), None),
        (str(erased.id), "request"),
    ]
    assert "Use include=erased" in call("GET", "jobs?include=all").json()["detail"]


def test_a_job_that_has_not_ended_is_to_be_canceled_first(desk: Desk, call: Call) -> None:
    job = desk.submit()
    refused = call("DELETE", f"jobs/{job.id}")
    assert (refused.status_code, refused.json()["code"]) == (409, "job_not_finished")
    assert call("POST", f"jobs/{job.id}/cancel").status_code == 200
    assert call("DELETE", f"jobs/{job.id}").status_code == 204


def test_document_is_erased_with_its_jobs_if_the_request_includes_them(desk: Desk, call: Call) -> None:
    job = ended(desk)
    unfinished = desk.submit_document(job.document)  # type: ignore[arg-type]  # it has one
    assert call("DELETE", f"documents/{job.document_id}?include_jobs=true").status_code == 204
    assert call("GET", f"documents/{job.document_id}").status_code == 410
    assert [call("GET", f"jobs/{one.id}").status_code for one in (job, unfinished)] == [410, 410]
    assert call("DELETE", f"documents/{job.document_id}?include_jobs=true").json()["code"] == "document_deleted"
    assert call("DELETE", f"documents/{job.document_id}?include_jobs=all").status_code == 400


def test_a_key_that_may_not_write_erases_nothing(desk: Desk) -> None:
    job = ended(desk)
    reader = replace(desk.identity, scopes=frozenset({"jobs:read"}))
    answer = Client().delete(f"/v1/jobs/{job.id}", **{"maas.identity": reader})  # type: ignore[arg-type]
    assert answer.status_code == 403
    assert not desk.again(job).erased


def test_a_job_says_until_when_it_is_kept_and_the_account_for_how_many_days(desk: Desk, call: Call) -> None:
    job, waiting = ended(desk), desk.submit()
    assert call("GET", f"jobs/{job.id}").json()["retained_until"] is None
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(keep_results_days=30)
    finished_at = desk.again(job).finished_at
    assert finished_at is not None
    told = datetime.fromisoformat(call("GET", f"jobs/{job.id}").json()["retained_until"])
    assert told == finished_at + timedelta(days=30)
    assert call("GET", f"jobs/{waiting.id}").json()["retained_until"] is None
    days = call("GET", "limits").json()["retention"]
    assert days == {"documents_days": 0, "results_days": 30, "events_days": 0, "test_days": 7}


def test_a_document_says_until_when_it_is_kept(desk: Desk, call: Call) -> None:
    document = desk.document(1)
    address = f"documents/{document.id}"
    assert call("GET", address).json()["retained_until"] is None
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(keep_documents_days=30)
    told = datetime.fromisoformat(call("GET", address).json()["retained_until"])
    # The time of its last use is stored to the hour.
    assert told == document.used_at + timedelta(days=30, hours=1)
    tests = Desk(replace(desk.identity, livemode=False), desk.version)
    document = tests.document(1)
    answer = Client().get(f"/v1/documents/{document.id}", **{"maas.identity": tests.identity})  # type: ignore[arg-type]
    told = datetime.fromisoformat(answer.json()["retained_until"])
    assert told == document.used_at + timedelta(days=7, hours=1)


def test_events_that_are_erased_are_said_to_be_with_where_to_go_on(desk: Desk, call: Call) -> None:
    job = ended(desk)
    last = desk.again(job).last_seq
    desk.sql("DELETE FROM jobs_event WHERE job_id = %s AND seq < 3", job.id)
    refused = call("GET", f"jobs/{job.id}/events")
    assert (refused.status_code, refused.json()["code"], refused.json()["after"]) == (410, "events_erased", 2)
    listed = call("GET", f"jobs/{job.id}/events?after=2").json()["data"]
    assert [event["seq"] for event in listed] == list(range(3, last + 1))
