"""Tests how much each update of a page or job writes. At millions of pages, that decides what a claim costs."""

from collections.abc import Callable

from django.db import connections, transaction

from jobs.core.models import Job
from jobs.queue.claims import renew_leases
from jobs.queue.settlement import finish_page
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tests.jobs.conftest import DONE, Desk

PAGE_INDEXES = 18
"""The indexes of pages. A page that changes its state gets a new entry in each that has it: think before adding one."""

_COUNTS = """
SELECT pg_stat_get_xact_tuples_updated(oid), pg_stat_get_xact_tuples_hot_updated(oid) FROM pg_class WHERE relname = %s
"""


def updates(table: str, act: Callable[[], object]) -> tuple[int, int]:
    """Return how many rows of a table the act updated, and how many of them without a new entry in any index."""
    with operator_work(), transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_COUNTS, [table])
        updated, hot = cursor.fetchone()
        act()
        cursor.execute(_COUNTS, [table])
        all_updated, all_hot = cursor.fetchone()
        return all_updated - updated, all_hot - hot


def test_a_renewed_lease_writes_to_no_index(desk: Desk) -> None:
    claim = desk.claimed(desk.pages(desk.submit())[0])
    assert updates("jobs_page", lambda: renew_leases([claim])) == (1, 1)


def test_what_a_page_adds_to_its_job_writes_to_no_index(desk: Desk) -> None:
    job = desk.submit()
    desk.claimed(desk.pages(job)[0])

    def count() -> None:
        Job.objects.filter(id=job.id).update(pages_succeeded=1, cost_micros=5, last_seq=7)

    assert updates("jobs_job", count) == (1, 1)


def test_a_page_has_no_index_that_nobody_thought_of(desk: Desk) -> None:
    finish_page(desk.claimed(desk.pages(desk.submit())[0]), DONE)
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_index WHERE indrelid = 'jobs_page'::regclass")
        assert cursor.fetchone()[0] == PAGE_INDEXES
