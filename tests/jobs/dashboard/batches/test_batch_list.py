"""Tests of the list of batches, as a member of a tenant sees it."""

import re

from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from jobs.batches import states
from jobs.batches.ids import BATCH, shown
from jobs.batches.models import Batch
from jobs.batches.settlement import Done, finish_run
from jobs.batches.upkeep import erase_expired_files
from jobs.dashboard.batches.views import batch_view
from tenants.core.db.unit_of_work import APP
from tests.jobs.batches.conftest import alone, desk
from tests.jobs.batches.desk import BatchDesk
from tests.jobs.batches.test_settlement import saved
from tests.jobs.dashboard.conftest import html

__all__ = ["alone", "desk"]
QUERIES = 7
"""Session, user, membership; then a transaction's begin, the batches, their files and the commit."""


def rows(page: str) -> list[str]:
    return re.findall(r'<tr id="(batch_[0-9a-f]{32})"', page)


def name(batch: Batch) -> str:
    return shown(BATCH, batch.id)


def completed(desk: BatchDesk) -> Batch:
    batch = desk.checked()
    claim = desk.claimed(batch)
    finish_run(claim, Done(completed=2, failed=1, output=saved(claim, b"{}\n"), errors=saved(claim, b"{}\n")))
    return desk.merge(batch)


def test_an_account_without_batches_is_told_how_to_send_one(member: Client) -> None:
    page = html(member, "/batches")
    assert "No batches yet" in page
    assert "client.batches.create" in page


def test_batches_are_shown_newest_first_with_how_far_they_are(member: Client, desk: BatchDesk) -> None:
    over, running = completed(desk), desk.checked()
    page = html(member, "/batches")
    assert rows(page) == [name(running), name(over)]
    assert "3 of 3" in page
    assert "1 failed" in page
    assert 'value="0" max="3"' in page
    assert f"/batches/{name(running)}/cancel" in page
    assert f"/batches/{name(over)}/cancel" not in page
    assert rows(html(member, f"/batches?before={name(running)}")) == [name(over)]


def test_a_list_with_work_under_way_renews_itself_and_one_without_does_not(member: Client, desk: BatchDesk) -> None:
    batch = desk.batch()
    part = html(member, "/batches", **{"HX-Request": "true", "HX-Target": "batches"})
    assert part.lstrip().startswith('<div id="batches" hx-get="/batches"')
    member.post(f"/batches/{name(batch)}/cancel")
    assert "hx-trigger" not in html(member, "/batches")


def test_files_are_offered_for_as_long_as_they_are_kept(member: Client, desk: BatchDesk) -> None:
    batch = completed(desk)
    address = f"/v1/files/file-{batch.output_file_id.hex}/content" if batch.output_file_id else ""
    assert address
    assert address in html(member, "/batches")
    desk.sql("UPDATE jobs_storedfile SET expires_at = now() WHERE tenant_id = %s", desk.identity.tenant_id)
    erase_expired_files()
    assert "/v1/files/" not in html(member, "/batches")


def test_a_batch_is_cancelled_once_and_ended_ones_say_why_not(member: Client, desk: BatchDesk) -> None:
    batch = desk.checked()
    answer = member.post(f"/batches/{name(batch)}/cancel")
    assert answer.headers["Location"] == "/batches"
    assert desk.again(batch).status == states.CANCELLING
    over = desk.merge(batch)
    assert over.status == states.CANCELLED
    other = completed(desk)
    refused = member.post(f"/batches/{name(other)}/cancel", follow=True)
    assert "Cannot cancel a batch with status" in refused.content.decode()
    assert member.post("/batches/batch_1/cancel").status_code == 404


def test_a_viewer_sees_and_downloads_but_does_not_cancel(viewer: Client, desk: BatchDesk) -> None:
    batch = desk.checked()
    page = html(viewer, "/batches")
    assert rows(page) == [name(batch)]
    assert "/cancel" not in page
    assert viewer.post(f"/batches/{name(batch)}/cancel").status_code == 403


def test_more_batches_cost_no_more_queries(member: Client, desk: BatchDesk) -> None:
    completed(desk)
    for _ in range(4):
        desk.batch()
    with CaptureQueriesContext(connections[APP]) as captured:
        html(member, "/batches")
    assert len(captured) == QUERIES


def test_some_faults_are_shown_with_their_lines_and_the_others_counted(desk: BatchDesk) -> None:
    batch = desk.batch()
    batch.errors = [{"code": "x", "message": f"m{n}", "param": None, "line": n or None} for n in range(5)]
    view = batch_view(batch, frozenset(), timezone.now())
    assert view.faults == ("m0", "Line 1: m1", "Line 2: m2")
    assert view.more_faults == 2
