"""Tests of a model's recent speed. It comes from a few of the tenant's own last pages, however many there are."""

from inference.registry.models import ModelVersion
from jobs.core.models import Page
from jobs.dashboard.catalog.selectors import Speed, recent_speeds
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk


def speed(desk: Desk) -> Speed | None:
    with unit_of_work(desk.identity.tenant_id):
        return recent_speeds(desk.identity.tenant_id, [desk.version.pk]).get(desk.version.pk)


def finish_after(desk: Desk, page: Page, seconds: float) -> None:
    desk.finish(page)
    desk.rewrite(
        "jobs_page",
        f"UPDATE jobs_page SET started_at = finished_at - interval '{seconds} seconds' WHERE id = %s",
        page.id,
    )


def test_median_and_the_slow_end_are_of_the_finished_pages(desk: Desk) -> None:
    pages = desk.pages(desk.submit(pages=4))
    for page, seconds in zip(pages[:3], (1, 2, 10), strict=True):
        finish_after(desk, page, seconds)
    assert speed(desk) == Speed(pages=3, median_s=2.0, p95_s=9.2)


def test_what_has_not_finished_is_no_speed(desk: Desk) -> None:
    desk.claimed(desk.pages(desk.submit())[0])
    assert speed(desk) is None


def test_pages_of_long_ago_do_not_count(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    desk.finish(page)
    long_ago = "UPDATE jobs_page SET finished_at = now() - interval '31 days' WHERE id = %s"
    desk.rewrite("jobs_page", long_ago, page.id)
    assert speed(desk) is None


def test_speed_is_of_ones_own_work_alone(desk: Desk, other_identity: Identity, version: ModelVersion) -> None:
    other = Desk(other_identity, version)
    finish_after(other, other.pages(other.submit())[0], 5)
    assert speed(desk) is None


def test_a_long_document_does_not_make_it_slow(desk: Desk) -> None:
    job = desk.submit(pages=120)
    desk.sql(
        "UPDATE jobs_page SET state = 'succeeded', started_at = now(), finished_at = now() WHERE job_id = %s",
        job.id,
    )
    found = speed(desk)
    assert found is not None
    assert found.pages == 100
