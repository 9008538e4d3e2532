"""Tests of the list of documents and their jobs, as a member of a tenant sees it."""

import re
from dataclasses import replace
from html import escape

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inference.core.contracts import Units, WorkOutput
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from jobs.retention.documents import delete_document
from jobs.submission.cancellations import cancel_job
from jobs.submission.services import JobRequest, submit_job
from tenants.api_keys.models import ApiKey
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk
from tests.jobs.dashboard.conftest import html

QUERIES = 12
"""Session, user, membership; a transaction's begin, count, jobs, fields and commit; models; class sets likewise."""
SEARCH_QUERIES = QUERIES + 5
"""Also the hits, a time limit before and after, their text, and whether a search by meaning is possible."""


def shown(page: str) -> list[str]:
    return re.findall(r'<tr id="job-([0-9a-f-]{36})"', page)


def link(page: str, name: str) -> str:
    found = re.search(rf'id="{name}" class="[^"]*" href="([^"]+)"', page)
    assert found is not None
    return "/jobs" + found[1].replace("&amp;", "&")


def submit_named(desk: Desk, name: str, pages: int = 1) -> Job:
    document = desk.document(pages)
    with unit_of_work(desk.identity.tenant_id):
        document.name = name
        document.save()
    request = JobRequest(model=desk.version.key, document_id=document.id)
    return submit_job(identity=desk.identity, request=request)


def ids(*jobs: Job) -> list[str]:
    return [str(job.id) for job in jobs]


def test_files_are_listed_unless_texts_or_all_are_chosen(member: Client, desk: Desk) -> None:
    inline, named = desk.submit(), submit_named(desk, "a.pdf")
    assert shown(html(member, "/jobs")) == ids(named)
    assert shown(html(member, "/jobs?sent=inline")) == ids(inline)
    assert shown(html(member, "/jobs?sent=all")) == ids(named, inline)
    assert shown(html(member, "/jobs?sent=documents")) == ids(named)
    assert "“hello”" in html(member, "/jobs?sent=all")


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("", "?sent=inline"),
        ("?model=nobodys&amp;sort=-pages", "?model=nobodys&amp;sent=inline"),
        ("?q=wombat", "?q=wombat&amp;sent=inline"),
    ],
)
def test_an_empty_list_of_files_says_where_the_texts_are(member: Client, desk: Desk, query: str, texts: str) -> None:
    desk.submit()
    page = html(member, f"/jobs{query.replace('&amp;', '&')}")
    assert shown(page) == []
    assert f'<a href="{texts}">show texts</a>' in page


def test_an_empty_list_of_texts_points_nowhere_else(member: Client) -> None:
    assert "show texts" not in html(member, "/jobs?sent=inline")


def test_the_first_address_leads_to_the_list(client: Client) -> None:
    assert client.get("/").headers["Location"] == "/jobs"


def test_a_stranger_is_asked_to_sign_in(client: Client) -> None:
    assert client.get("/jobs").headers["Location"] == "/sign-in?next=/jobs"


def test_an_empty_list_offers_a_sample_and_nothing_to_search(member: Client) -> None:
    page = html(member, "/jobs")
    assert 'action="/sample"' in page
    assert re.search(r'<form id="find"[^>]* hidden', page)


def test_a_viewers_empty_list_offers_nothing_that_is_refused(viewer: Client) -> None:
    page = html(viewer, "/jobs")
    assert "No documents yet" in page
    assert 'action="/sample"' not in page
    assert 'id="upload"' not in page
    assert "Your role can view documents" in page


def test_a_job_is_shown_with_what_one_asks_first(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    desk.finish(desk.pages(job)[0])
    page = html(member, "/jobs")
    for expected in (
        "a.pdf",
        desk.version.key,
        "1 / 2",
        '<span title="0.0015 €">&lt; 0.01 €</span>',
        'class="state running"',
        f"/jobs/{job.id}",
        '<progress value="1" max="2"',
    ):
        assert expected in page


def test_a_name_cannot_carry_markup(member: Client, desk: Desk) -> None:
    name = '"><script>alert(1)</script>.pdf'
    submit_named(desk, name)
    page = html(member, "/jobs")
    assert escape(name) in page
    assert name not in page


def test_nothing_of_another_tenant_is_listed(member: Client, desk: Desk, other_identity: Identity) -> None:
    foreign = Desk(other_identity, desk.version).submit()
    assert str(foreign.id) not in html(member, "/jobs")


@pytest.mark.parametrize("order", ["", "sort=oldest", "sort=name"])
def test_paging_shows_every_job_once_there_and_back(member: Client, desk: Desk, order: str) -> None:
    sent = {str(submit_named(desk, f"{number % 7}.pdf").id) for number in range(26)}
    first = html(member, f"/jobs?{order}")
    second = html(member, link(first, "onward"))
    assert len(shown(first)) == 25
    assert sorted([*shown(first), *shown(second)]) == sorted(sent)
    assert 'id="onward"' not in second
    assert shown(html(member, link(second, "back"))) == shown(first)


def test_jobs_that_arrive_while_one_reads_on_move_nothing(member: Client, desk: Desk) -> None:
    sent = [str(submit_named(desk, "a.pdf").id) for _ in range(26)]
    onward = link(html(member, "/jobs"), "onward")
    submit_named(desk, "a.pdf")
    assert shown(html(member, onward)) == sent[:1]


def test_states_are_grouped_as_people_think_of_them(member: Client, desk: Desk) -> None:
    waiting, done, canceled = submit_named(desk, "a.pdf"), submit_named(desk, "a.pdf"), submit_named(desk, "a.pdf")
    desk.finish(desk.pages(done)[0])
    cancel_job(identity=desk.identity, job_id=canceled.id)
    for state, expected in (("in-progress", waiting), ("succeeded", done), ("canceled", canceled)):
        assert shown(html(member, f"/jobs?state={state}")) == ids(expected)
    assert "Nothing matches these filters" in html(member, "/jobs?state=failed")


def test_jobs_of_a_deleted_document_are_shown_only_when_asked_for(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    delete_document(identity=desk.identity, document_id=job.document_id)
    assert shown(html(member, "/jobs")) == []
    assert shown(html(member, "/jobs?state=deleted")) == ids(job)


def test_a_model_and_days_narrow_the_list(member: Client, desk: Desk) -> None:
    job = submit_named(desk, "a.pdf")
    today = timezone.now().date().isoformat()
    name = desk.version.served_model.name
    assert shown(html(member, f"/jobs?model={name}&from={today}&to={today}")) == ids(job)
    for miss in (
        "model=nobodys",
        "from=2999-01-01",
        "to=2020-01-01",
        "model=a%00b",
        "to=9999-12-31&state=failed",
    ):
        assert shown(html(member, f"/jobs?{miss}")) == []


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("name", ["a.pdf", "b.pdf", "c.pdf"]),
        ("-name", ["c.pdf", "b.pdf", "a.pdf"]),
        ("-pages", ["c.pdf", "a.pdf", "b.pdf"]),
        ("oldest", ["b.pdf", "c.pdf", "a.pdf"]),
        ("newest", ["a.pdf", "c.pdf", "b.pdf"]),
        ("-cost", ["b.pdf", "a.pdf", "c.pdf"]),
        ("-state", ["b.pdf", "a.pdf", "c.pdf"]),
    ],
)
def test_the_list_is_put_in_order(member: Client, desk: Desk, sort: str, expected: list[str]) -> None:
    paid = submit_named(desk, "b.pdf", pages=1)
    desk.finish(desk.pages(paid)[0])
    submit_named(desk, "c.pdf", pages=3)
    submit_named(desk, "a.pdf", pages=2)
    page = html(member, f"/jobs?sort={sort}")
    assert re.findall(r'data-name="([^"]+)"', page) == expected


def test_words_are_found_in_names_and_on_pages(member: Client, desk: Desk) -> None:
    job = submit_named(desk, "Zürich contract.pdf")
    text = "Dear Sir, the quokka is <b>well</b>."
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput({"text": text}, Units(pages=1)))
    desk.submit()
    page = html(member, "/jobs?q=quokka")
    assert shown(page) == ids(job)
    assert "<mark>quokka</mark> is &lt;b&gt;well" in page
    assert f'href="/jobs/{job.id}?page=1&amp;q=quokka"' in page
    assert shown(html(member, "/jobs?q=zurich")) == ids(job)
    assert "Nothing found for “wombat”" in html(member, "/jobs?q=wombat")


def test_a_search_can_be_narrowed_and_put_in_order(member: Client, desk: Desk) -> None:
    jobs = [submit_named(desk, f"{letter} ledger.pdf") for letter in "ba"]
    assert shown(html(member, "/jobs?q=ledger&sort=name&state=in-progress")) == ids(jobs[1], jobs[0])
    assert shown(html(member, "/jobs?q=ledger&state=succeeded")) == []


def test_a_part_of_the_page_comes_alone_and_names_its_address(member: Client, desk: Desk) -> None:
    submit_named(desk, "a.pdf")
    answer = member.get("/jobs?q=&state=in-progress&size=25", headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert page.startswith('<section id="jobs"')
    assert "<html" not in page
    assert answer.headers["HX-Push-Url"] == "/jobs?state=in-progress"


def test_models_that_take_documents_can_be_chosen(member: Client, desk: Desk) -> None:
    name, meter = desk.version.served_model.name, desk.version.served_model.price.meter
    assert f'<option value="{name}" data-meter="{meter}">' in html(member, "/jobs")


def test_a_viewer_may_select_and_download_but_not_change(viewer: Client, desk: Desk) -> None:
    job = submit_named(desk, "a.pdf")
    page = html(viewer, "/jobs")
    assert f'id="pick-{job.id}"' in page
    assert 'data-bulk="archive"' in page
    for address in ("/jobs/bulk/delete", "/jobs/bulk/cancel", "/jobs/bulk/retry"):
        assert f'data-bulk="{address}"' not in page
        assert viewer.post(address, {"job": str(job.id)}).status_code == 403


def read(desk: Desk, label: str, *, needs_review: bool = False) -> Job:
    """Submit a document of two pages and finish them with this class."""
    job = submit_named(desk, f"{label}.pdf", pages=2)
    found = {"text": "read", "needs_review": needs_review, "class": {"label": label, "probabilities": {label: 1.0}}}
    for page in desk.pages(job):
        finish_page(desk.claimed(page), WorkOutput(found, Units(pages=1)))
    return job


def test_a_document_is_shown_with_its_class_and_how_many_pages_to_check(member: Client, desk: Desk) -> None:
    read(desk, "bank_statement", needs_review=True)
    page = html(member, "/jobs")
    assert "<bdi>Bank statement</bdi>" in page
    assert '<span class="badge wait">2<span class="sr"> pages to check</span></span>' in page
    assert '<option value="bank_statement">Bank statement</option>' in page


def test_documents_are_filtered_by_class_and_by_what_to_check(member: Client, desk: Desk) -> None:
    good, bad = read(desk, "invoice"), read(desk, "invoice", needs_review=True)
    letter = read(desk, "letter", needs_review=True)
    assert shown(html(member, "/jobs?class=invoice")) == ids(bad, good)
    assert shown(html(member, "/jobs?needs_review=true")) == ids(letter, bad)
    assert shown(html(member, "/jobs?needs_review=false")) == ids(good)
    assert shown(html(member, "/jobs?class=invoice&needs_review=true")) == ids(bad)
    assert '<option value="no-such" selected>' in html(member, "/jobs?class=no-such")


def test_a_class_cannot_carry_markup(member: Client, desk: Desk) -> None:
    read(desk, "<b>bold</b>")
    page = html(member, "/jobs?sent=all")
    assert "<b>bold" not in page
    assert escape("<b>bold</b>") in page


def test_the_sender_is_the_name_of_the_key(member: Client, desk: Desk) -> None:
    job = desk.submit()
    assert job.api_key_id is not None
    with unit_of_work(desk.identity.tenant_id):
        name = ApiKey.objects.get(id=job.api_key_id).name
    assert f'class="col-sender"><bdi>{name}</bdi>' in html(member, "/jobs?sent=all")


def test_the_sender_is_not_named_to_those_who_may_not_see_keys(viewer: Client, desk: Desk) -> None:
    desk.submit()
    assert 'class="col-sender"><bdi>API key</bdi>' in html(viewer, "/jobs?sent=all")


def test_the_sender_of_what_a_person_sent_is_the_dashboard(member: Client, desk: Desk) -> None:
    Desk(replace(desk.identity, key_id=None), desk.version).submit()
    assert 'class="col-sender"><bdi>Dashboard</bdi>' in html(member, "/jobs?sent=all")


def test_every_column_but_two_can_be_hidden(member: Client, desk: Desk) -> None:
    desk.submit()
    menu = html(member, "/jobs?sent=all").partition('id="columns"')[2].partition("</details>")[0]
    offered = re.findall(r'<input type="checkbox" value="(\w+)"', menu)
    assert offered == ["kind", "review", "pages", "model", "sender", "cost", "age"]


def test_more_jobs_cost_no_more_queries(member: Client, desk: Desk) -> None:
    def queries(address: str) -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            html(member, address)
        return len(captured)

    def all_queries() -> list[int]:
        return [queries(f"/jobs?{asked}") for asked in ("", "sort=-name", "q=read")]

    desk.finish(desk.pages(desk.submit(pages=2))[0])
    few = all_queries()
    for _ in range(5):
        job = desk.submit(pages=2)
        desk.finish(desk.pages(job)[0])
        cancel_job(identity=desk.identity, job_id=job.id)
    assert few == all_queries() == [QUERIES, QUERIES + 1, SEARCH_QUERIES]


def test_the_page_forbids_scripts_and_storage_of_itself(member: Client) -> None:
    headers = member.get("/jobs").headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert "no-store" in headers["Cache-Control"]
