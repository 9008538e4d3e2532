from uuid import UUID

import pytest
from django.db import connections

from inference.core.contracts import Units, WorkOutput
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from jobs.search.backfill import STRETCH, index_ordered_jobs
from jobs.search.selectors import search_jobs
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tests.jobs.conftest import Desk


@pytest.fixture
def old_job(desk: Desk) -> Job:
    """Make a job like one that ended before there was an index, with the migration's order to index it."""
    job = desk.submit_document(desk.document(2, name="minutes.pdf"))
    for page in desk.pages(job):
        finish_page(desk.claimed(page), WorkOutput({"text": f"agreed on page {page.number}"}, Units(pages=1)))
    desk.sql("DELETE FROM jobs_pagetext WHERE job_id = %s", job.id)
    desk.sql("INSERT INTO jobs_jobtoindex SELECT id, tenant_id FROM jobs_job WHERE id = %s", job.id)
    return job


def found(desk: Desk, words: str) -> list[tuple[UUID, int | None]]:
    with unit_of_work(desk.identity.tenant_id):
        return [(hit.job_id, hit.page_number) for hit in search_jobs(words)]


def orders() -> int:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM jobs_jobtoindex")
        return int(cursor.fetchone()[0])


def ordered(desk: Desk, job: Job) -> bool:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM jobs_jobtoindex WHERE job_id = %s)", [job.id])
        return bool(cursor.fetchone()[0])


def test_jobs_from_before_the_index_are_found_once_the_scheduler_came_by(desk: Desk, old_job: Job) -> None:
    assert found(desk, "agreed") == []
    index_ordered_jobs()
    assert orders() == 0
    assert found(desk, "agreed") == [(old_job.id, 1)]
    assert found(desk, "minutes agreed 2") == [(old_job.id, 2)]


def test_ordering_a_job_again_changes_nothing(desk: Desk, old_job: Job) -> None:
    index_ordered_jobs()
    desk.sql("INSERT INTO jobs_jobtoindex SELECT id, tenant_id FROM jobs_job WHERE id = %s", old_job.id)
    index_ordered_jobs()
    assert found(desk, "agreed") == [(old_job.id, 1)]
    assert orders() == 0


def test_what_is_indexed_of_a_long_job_is_there_before_its_end(desk: Desk) -> None:
    job = desk.submit_document(desk.document(STRETCH + 1))
    pages = desk.pages(job)
    finish_page(desk.claimed(pages[0]), WorkOutput({"text": "wombat"}, Units(pages=1)))
    for page in pages[1:-1]:
        desk.sql("UPDATE jobs_page SET state = 'succeeded', result = '{}' WHERE id = %s", page.id)
    desk.sql("UPDATE jobs_page SET state = 'succeeded', result = '[1]' WHERE id = %s", pages[-1].id)
    desk.sql("DELETE FROM jobs_pagetext WHERE job_id = %s", job.id)
    desk.sql("INSERT INTO jobs_jobtoindex SELECT id, tenant_id FROM jobs_job WHERE id = %s", job.id)
    index_ordered_jobs()
    assert found(desk, "wombat") == [(job.id, 1)]


def test_a_job_that_cannot_be_indexed_does_not_stand_in_the_way_of_others(desk: Desk, old_job: Job) -> None:
    broken = desk.submit()
    desk.sql("INSERT INTO jobs_jobtoindex SELECT id, tenant_id FROM jobs_job WHERE id = %s", broken.id)
    desk.sql("""UPDATE jobs_page SET state = 'succeeded', result = '[1]' WHERE job_id = %s""", broken.id)
    index_ordered_jobs()
    assert orders() == 0
    assert found(desk, "agreed") == [(old_job.id, 1)]
