"""Tests that the number of waiting pages is that of the pages themselves, whatever happened to them."""

from collections.abc import Callable

import pytest
from django.db import connections, transaction

from inference.registry.models import ModelVersion
from jobs.core.models import Page
from jobs.queue import queued_pages as counting
from jobs.queue.claims import hand_back
from jobs.queue.queued_pages import correct_queued_pages, queued_pages
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.queue.sweeper import sweep_expired_leases
from jobs.submission.cancellations import cancel_job
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tests.jobs.conftest import DONE, Desk
from tests.jobs.queue.conftest import at_once


@pytest.fixture(autouse=True)
def _right_from_the_start() -> None:
    """Forget what tests before did without triggers."""
    correct_queued_pages()


def waiting(version: ModelVersion) -> int:
    """Return the count, which must be right by itself."""
    assert correct_queued_pages() == 0
    return queued_pages().get(version.id, 0)


def test_a_page_counts_while_it_waits(desk: Desk, version: ModelVersion) -> None:
    first, _ = desk.submit(), desk.submit()
    assert waiting(version) == 2
    claim = desk.claimed(desk.pages(first)[0])
    assert waiting(version) == 1
    assert hand_back(claim)
    assert waiting(version) == 2
    finish_page(desk.claimed(desk.pages(first)[0]), DONE)
    assert waiting(version) == 1


def test_a_page_that_is_tried_again_counts_again(desk: Desk, version: ModelVersion) -> None:
    page = desk.pages(desk.submit())[0]
    fail_page(desk.claimed(page), Failure("model_timeout", "It took too long."), may_retry=True)
    assert waiting(version) == 1


def test_a_page_of_a_dead_worker_counts_again(desk: Desk, version: ModelVersion) -> None:
    page = desk.pages(desk.submit())[0]
    desk.claimed(page)
    desk.expire_lease(page)
    assert waiting(version) == 0
    assert sweep_expired_leases() >= 1
    assert waiting(version) == 1


def test_canceled_and_erased_pages_do_not_count(desk: Desk, version: ModelVersion) -> None:
    canceled, erased = desk.submit(), desk.submit()
    cancel_job(identity=desk.identity, job_id=canceled.id)
    assert waiting(version) == 1
    with operator_work():
        Page.objects.filter(job_id=erased.id).delete()
    assert waiting(version) == 0


def test_a_change_that_is_rolled_back_does_not_count(desk: Desk, version: ModelVersion) -> None:
    desk.submit()
    with operator_work(), transaction.atomic(using=OPERATOR):
        Page.objects.filter(model_version=version).update(state="canceled")
        transaction.set_rollback(True, using=OPERATOR)
    assert waiting(version) == 1


def test_many_at_once_are_counted_and_folded(
    desk: Desk, version: ModelVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MAX_LINES", 1)

    def submit_and_count(_: int) -> None:
        for _ in range(3):
            desk.submit()
            queued_pages()

    at_once(8, submit_and_count)
    assert waiting(version) == 24
    assert _lines(version) == 1


def test_a_wrong_count_is_corrected(desk: Desk, version: ModelVersion) -> None:
    desk.submit()
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("INSERT INTO jobs_queuedpages VALUES (%s, 7)", [version.id])
    assert queued_pages()[version.id] == 8
    assert correct_queued_pages() == 1
    assert waiting(version) == 1


def test_the_count_reads_no_page(desk: Desk, version: ModelVersion) -> None:
    desk.submit()
    assert _scans(queued_pages) == 0


def _scans(act: Callable[[], object]) -> int:
    """Return how often the act looked at the table of pages or at one of its indexes."""
    count = """
        SELECT pg_stat_get_xact_numscans('jobs_page'::regclass)
            + sum(pg_stat_get_xact_numscans(indexrelid)) FROM pg_index WHERE indrelid = 'jobs_page'::regclass
    """
    with operator_work(), transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute(count)
        before = cursor.fetchone()[0]
        act()
        cursor.execute(count)
        return int(cursor.fetchone()[0] - before)


def _lines(version: ModelVersion) -> int:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM jobs_queuedpages WHERE model_version_id = %s", [version.id])
        return int(cursor.fetchone()[0])
