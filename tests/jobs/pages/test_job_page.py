"""The page of one job, as a member of a tenant sees it."""

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inference.contracts import WorkOutput
from jobs.dispatch.settlement import Failure, fail_page, finish_page
from jobs.documents.selectors import get_document
from jobs.models import DocumentPage, Job
from jobs.pages.selectors import PAGES_SHOWN
from jobs.services import cancel_job, retry_job
from tenants.context import APP, unit_of_work
from tenants.identity import Identity
from tests.jobs.conftest import Desk

QUERIES = 9
"""Session, person, membership; a transaction's begin, tenant, job, pages, pictures and commit."""
RESULT = WorkOutput(
    {
        "text": "Invoice\nTotal < 5",
        "lines": [
            {"text": "Invoice", "box": None, "confidence": 1.0},
            {"text": "Total < 5", "box": None, "confidence": 1.0},
        ],
        "class": {"label": "invoice", "score": 0.9, "scores": {}},
    }
)


def html(client: Client, job: Job, query: str = "") -> str:
    answer = client.get(f"/jobs/{job.id}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def give_picture(desk: Desk, job: Job, number: int) -> None:
    assert job.document_id is not None
    with unit_of_work(desk.identity.tenant_id):
        DocumentPage.objects.create(
            tenant_id=desk.identity.tenant_id,
            document_id=job.document_id,
            number=number,
            width_px=100,
            height_px=200,
            picture="somewhere.png",
        )


def test_a_page_shows_its_picture_its_lines_and_its_kind(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    finish_page(desk.claimed(desk.pages(job)[0]), RESULT)
    give_picture(desk, job, 1)
    page = html(member, job)
    assert f'src="/v1/documents/{job.document_id}/pages/1/picture" width="100" height="200"' in page
    assert "<li>Invoice</li><li>Total &lt; 5</li>" in page
    assert "looks like: invoice" in page
    assert "1 of 2 pages done" in page


def test_a_page_that_no_worker_has_opened_has_no_broken_picture(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    assert "/pages/1/picture" not in html(member, job)


def test_a_failed_page_says_why(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    fail_page(desk.claimed(desk.pages(job)[1]), Failure("page_unreadable", "Ink & water."), may_retry=False)
    page = html(member, job)
    assert "Ink &amp; water." in page
    assert "page_unreadable" in page
    assert "1 failed" in page


def test_a_running_job_can_be_canceled_but_not_retried(member: Client, desk: Desk) -> None:
    page = html(member, desk.submit())
    assert 'id="cancel"' in page
    assert 'id="retry"' not in page


def test_a_canceled_job_can_be_retried_but_not_canceled(member: Client, desk: Desk) -> None:
    job = cancel_job(identity=desk.identity, job_id=desk.submit().id)
    page = html(member, job)
    assert 'id="cancel"' not in page
    assert 'id="retry"' in page


def test_a_job_that_succeeded_offers_neither(member: Client, desk: Desk) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    page = html(member, job)
    assert 'id="cancel"' not in page
    assert 'id="retry"' not in page


def test_a_job_whose_document_is_deleted_says_so_and_offers_no_retry(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    cancel_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity.tenant_id):
        document = get_document(job.document_id)
        document.deleted_at = timezone.now()
        document.save()
    page = html(member, job)
    assert "a.pdf (deleted)" in page
    assert 'id="retry"' not in page


def test_a_retry_links_to_the_job_it_repeats(member: Client, desk: Desk) -> None:
    job = cancel_job(identity=desk.identity, job_id=desk.submit().id)
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert f'href="/jobs/{job.id}"' in html(member, again)


def test_a_viewer_is_offered_no_action(viewer: Client, desk: Desk) -> None:
    assert "data-post" not in html(viewer, desk.submit())


def test_a_job_of_another_tenant_is_not_found_like_one_that_never_was(
    member: Client, desk: Desk, other_identity: Identity
) -> None:
    foreign = Desk(other_identity, desk.version).submit()
    answers = [member.get(f"/jobs/{name}") for name in (foreign.id, "018f0000-0000-7000-8000-000000000000")]
    assert [answer.status_code for answer in answers] == [404, 404]
    pages = [answer.content.decode().replace(str(foreign.id), "") for answer in answers]
    assert pages[0] == pages[1].replace("018f0000-0000-7000-8000-000000000000", "")


@pytest.mark.parametrize("name", ["x", "%00", "018f", "-1"])
def test_what_is_no_id_is_not_found(member: Client, name: str) -> None:
    assert member.get(f"/jobs/{name}").status_code == 404


def test_a_long_document_is_shown_in_stretches(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=PAGES_SHOWN + 1)
    first = html(member, job)
    assert f'id="page-{PAGES_SHOWN}"' in first
    assert f'id="page-{PAGES_SHOWN + 1}"' not in first
    assert f'href="?after={PAGES_SHOWN}"' in first
    second = html(member, job, f"?after={PAGES_SHOWN}")
    assert f'id="page-{PAGES_SHOWN + 1}"' in second
    assert "Next pages" not in second


@pytest.mark.parametrize("after", ["x", "-1", "9999999999"])
def test_a_stretch_that_is_none_is_not_found(member: Client, desk: Desk, after: str) -> None:
    assert member.get(f"/jobs/{desk.submit().id}?after={after}").status_code == 404


def test_more_pages_cost_no_more_queries(member: Client, desk: Desk) -> None:
    def queries(pages: int) -> int:
        job = desk.submit(pages=pages)
        give_picture(desk, job, 1)
        with CaptureQueriesContext(connections[APP]) as captured:
            html(member, job)
        return len(captured)

    assert (queries(2), queries(9)) == (QUERIES, QUERIES)
