"""The list of jobs, as a member of a tenant sees it."""

from html import escape

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.pages.selectors import JOBS_SHOWN
from jobs.services import JobRequest, cancel_job, submit_job
from tenants.context import APP, unit_of_work
from tenants.identity import Identity
from tests.jobs.conftest import Desk

QUERIES = 8
"""Session, person, membership; a transaction's begin, tenant, jobs and commit; models."""


def html(client: Client, address: str = "/jobs") -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_first_address_leads_to_the_jobs(client: Client) -> None:
    assert client.get("/").headers["Location"] == "/jobs"


def test_a_stranger_is_asked_to_sign_in(client: Client) -> None:
    assert client.get("/jobs").headers["Location"] == "/sign-in?next=/jobs"


def test_an_empty_list_says_what_to_do(member: Client) -> None:
    assert "No jobs yet" in html(member)


def test_a_job_is_shown_with_what_one_asks_first(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    desk.finish(desk.pages(job)[0])
    page = html(member)
    for shown in (
        "a.pdf",
        desk.version.key,
        "1 / 2",
        "0.0015 EUR",
        'class="state running"',
        f"/jobs/{job.id}",
    ):
        assert shown in page


def test_a_name_cannot_carry_markup(member: Client, desk: Desk) -> None:
    document = desk.document(1)
    with unit_of_work(desk.identity.tenant_id):
        document.name = "<script>alert(1)</script>.pdf"
        document.save()
    request = JobRequest(model=desk.version.key, document_id=document.id)
    submit_job(identity=desk.identity, request=request)
    page = html(member)
    assert escape(document.name) in page
    assert document.name not in page


def test_nothing_of_another_tenant_is_listed(member: Client, desk: Desk, other_identity: Identity) -> None:
    foreign = Desk(other_identity, desk.version).submit()
    assert str(foreign.id) not in html(member)


def test_older_jobs_are_a_link_away_and_none_is_lost(member: Client, desk: Desk) -> None:
    sent = {str(desk.submit().id) for _ in range(JOBS_SHOWN + 1)}
    first = html(member)
    last_shown = sorted(sent, reverse=True)[JOBS_SHOWN - 1]
    assert f'href="?before={last_shown}"' in first
    second = html(member, f"/jobs?before={last_shown}")
    assert {job for job in sent if job in first} | {job for job in sent if job in second} == sent
    assert "Newest jobs" in second


@pytest.mark.parametrize("cursor", ["x", "", "%00"])
def test_a_cursor_that_is_none_is_not_found(member: Client, cursor: str) -> None:
    assert member.get(f"/jobs?before={cursor}").status_code == 404


def test_models_that_take_documents_can_be_chosen(member: Client, desk: Desk) -> None:
    assert f'<option value="{desk.version.served_model.name}">' in html(member)


def test_a_viewer_sees_jobs_but_cannot_send_documents(viewer: Client, desk: Desk) -> None:
    job = desk.submit()
    page = html(viewer)
    assert str(job.id) in page
    assert 'id="upload"' not in page


def test_more_jobs_cost_no_more_queries(member: Client, desk: Desk) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            html(member)
        return len(captured)

    desk.submit(pages=2)
    few = queries()
    for _ in range(5):
        cancel_job(identity=desk.identity, job_id=desk.submit(pages=2).id)
    assert (few, queries()) == (QUERIES, QUERIES)


def test_the_page_forbids_scripts_and_storage_of_itself(member: Client) -> None:
    headers = member.get("/jobs").headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert "no-store" in headers["Cache-Control"]
