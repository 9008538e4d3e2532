"""Tests of the list of archives and the page of one archive, as a member of a tenant sees them."""

import re
from html import unescape

from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.archives.services import cancel_archive
from jobs.core.models import Job
from jobs.core.models.archives import Archive
from jobs.dashboard.archives import views
from jobs.submission.cancellations import cancel_job
from tenants.core.db.unit_of_work import APP, unit_of_work
from tests.jobs.archives.test_unpacking import Bench, bench
from tests.jobs.dashboard.conftest import html
from tests.samples.pdfs import text_pdf

__all__ = ["bench"]
QUERIES = {"list": 7, "one": 9}
"""Session, user, membership; then in a transaction the archives, their counts, and the entries with their jobs."""
FILES = (("apples.pdf", text_pdf("apples")), ("folder/", b""), ("junk.pdf", b"\0\1\2"))


def place(archive: Archive) -> str:
    return f"/archives/{archive.id}"


def entry(page: str, number: int) -> str:
    found = re.search(rf'<tr id="entry-{number}">.*?</tr>', page, re.DOTALL)
    assert found is not None
    return found[0]


def test_an_account_without_archives_is_told_how_to_send_one(member: Client) -> None:
    page = html(member, "/archives")
    assert "No archives yet" in page
    assert "maas run parse post.zip --unpack" in page


def test_archives_are_shown_newest_first_with_what_came_of_them(member: Client, bench: Bench) -> None:
    first = bench.accept(*FILES)
    bench.turn(first)
    second = bench.accept(*FILES)
    page = html(member, "/archives")
    assert re.findall(r'<tr id="archive-([0-9a-f-]+)"', page) == [str(second.id), str(first.id)]
    assert "3 of 3" in page
    assert "1 done, 1 skipped" in page
    assert "1 failed" in page
    assert html(member, f"/archives?before={second.id}").count("<tr id=") == 1
    assert "No older archives" in html(member, f"/archives?before={first.id}")
    assert 'hx-trigger="every 2s"' in page
    cancel_archive(identity=bench.identity, archive_id=second.id)
    assert "hx-trigger" not in html(member, "/archives")


def test_each_entry_says_what_came_of_it_and_leads_to_its_job(member: Client, bench: Bench) -> None:
    archive = bench.accept(*FILES)
    assert "waiting" in entry(html(member, place(archive)), 1)
    bench.turn(archive)
    page = html(member, place(archive))
    job = bench.entries(archive)[0].job_id
    assert f'href="/jobs/{job}"' in entry(page, 1)
    assert "queued" in entry(page, 1)
    assert "Folder, skipped." in entry(page, 2)
    assert "failed" in entry(page, 3)
    assert bench.entries(archive)[2].error_detail in unescape(entry(page, 3))


def test_a_page_renews_itself_until_the_jobs_have_ended_too(member: Client, bench: Bench) -> None:
    archive = bench.accept(*FILES)
    bench.turn(archive)
    part = html(member, place(archive), **{"HX-Request": "true", "HX-Target": "archive"})
    assert part.lstrip().startswith(f'<div id="archive" hx-get="{place(archive)}"')
    with unit_of_work(bench.identity.tenant_id):
        job = Job.objects.get()
    cancel_job(identity=bench.identity, job_id=str(job.id))
    assert "hx-trigger" not in html(member, place(archive))


def test_an_archive_is_canceled_once_and_one_that_has_ended_says_why_not(member: Client, bench: Bench) -> None:
    archive = bench.accept(*FILES)
    assert f"{place(archive)}/cancel" in html(member, place(archive))
    for _ in range(2):
        assert member.post(f"{place(archive)}/cancel").headers["Location"] == place(archive)
    page = html(member, place(archive))
    assert "canceled" in entry(page, 1)
    assert f"{place(archive)}/cancel" not in page
    over = bench.accept(*FILES)
    bench.turn(over)
    refused = member.post(f"{place(over)}/cancel", follow=True)
    assert "cannot be canceled" in refused.content.decode()
    assert member.post("/archives/nothing/cancel").status_code == 404
    assert member.get("/archives/nothing").status_code == 404


def test_a_viewer_looks_and_does_not_cancel(viewer: Client, bench: Bench) -> None:
    archive = bench.accept(*FILES)
    assert "/cancel" not in html(viewer, place(archive))
    assert viewer.post(f"{place(archive)}/cancel").status_code == 403


def test_more_archives_and_entries_cost_no_more_queries(member: Client, bench: Bench) -> None:
    for _ in range(3):
        bench.accept(*FILES)
    many = bench.accept(*((f"{number}.pdf", text_pdf(str(number))) for number in range(12)))
    bench.turn(many)
    for kind, address in (("list", "/archives"), ("one", place(many))):
        with CaptureQueriesContext(connections[APP]) as captured:
            html(member, address)
        assert len(captured) == QUERIES[kind], kind


def test_entries_come_in_stretches(member: Client, bench: Bench) -> None:
    archive = bench.accept(*((f"{number}.txt", b"x") for number in range(views.ENTRIES_SHOWN + 1)))
    first = html(member, place(archive))
    assert first.count('<tr id="entry-') == views.ENTRIES_SHOWN
    assert f"{place(archive)}?after={views.ENTRIES_SHOWN}" in first
    last = html(member, f"{place(archive)}?after={views.ENTRIES_SHOWN}")
    assert last.count('<tr id="entry-') == 1
    assert html(member, f"{place(archive)}?after=-1&x=<script>").count('<tr id="entry-') == views.ENTRIES_SHOWN


def test_names_of_others_are_shown_as_text(member: Client, bench: Bench) -> None:
    archive = bench.accept(("<b>bold</b>.pdf", text_pdf("x")))
    assert "&lt;b&gt;bold&lt;" in html(member, place(archive))
