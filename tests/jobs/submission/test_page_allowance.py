"""Tests of how many unfinished pages a tenant may have. A refusal stores nothing, and says when to try again."""

from collections.abc import Iterator

import pytest

from jobs.core.errors import TooManyUnfinishedPages
from jobs.core.models import Job
from jobs.core.recent_refusals import was_turned_away
from jobs.submission import page_allowance
from jobs.submission.services import cancel_job, retry_job
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tests.jobs.conftest import Desk


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    page_allowance._counted.clear()
    yield
    page_allowance._counted.clear()


def with_room_for(desk: Desk, pages: int) -> Desk:
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(unfinished_pages=pages)
    # A changed limit is effective within a second.
    page_allowance._counted.clear()
    return desk


def stored(desk: Desk) -> int:
    with unit_of_work(desk.identity.tenant_id):
        return Job.objects.count()


def test_no_more_pages_are_unfinished_than_may_be(desk: Desk) -> None:
    job = with_room_for(desk, 10).submit(pages=6)
    with pytest.raises(TooManyUnfinishedPages) as refused:
        desk.submit(pages=5)
    assert "6 unfinished pages and this job has 5 more" in refused.value.detail
    limit = {"of": "tenant", "name": "unfinished_pages", "amount": 10}
    assert refused.value.extra == {"retry_after_s": page_allowance.UNKNOWN_PAUSE_S, "limit": limit}
    assert stored(desk) == 1
    assert was_turned_away(desk.identity.tenant_id)
    desk.submit(pages=4)
    cancel_job(identity=desk.identity, job_id=job.id)
    desk.submit(pages=6)


def test_a_page_that_ends_makes_room(desk: Desk) -> None:
    job = with_room_for(desk, 3).submit(pages=3)
    with pytest.raises(TooManyUnfinishedPages):
        desk.submit()
    desk.finish(desk.pages(job)[0])
    desk.submit()


def test_the_pause_is_what_is_too_much_at_the_pace_of_the_last_minute(desk: Desk) -> None:
    job = with_room_for(desk, 20).submit(pages=20)
    for page in desk.pages(job)[:2]:
        desk.finish(page)
    with pytest.raises(TooManyUnfinishedPages) as refused:
        desk.submit(pages=3)
    # Two pages end in a minute, and one page is too many.
    assert refused.value.extra["retry_after_s"] == 30


def test_a_job_larger_than_the_limit_is_let_in_alone(desk: Desk) -> None:
    with_room_for(desk, 5).submit(pages=9)
    with pytest.raises(TooManyUnfinishedPages):
        desk.submit()


def test_a_retry_counts_the_pages_that_it_does_again(desk: Desk) -> None:
    job = desk.submit(pages=5)
    cancel_job(identity=desk.identity, job_id=job.id)
    with_room_for(desk, 6).submit(pages=2)
    with pytest.raises(TooManyUnfinishedPages):
        retry_job(identity=desk.identity, job_id=job.id)


def test_a_large_limit_counts_what_this_process_lets_in_between_two_looks(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_allowance, "COUNTED_EACH_TIME", 5)
    monkeypatch.setattr(page_allowance, "COUNT_KEPT_S", 3600.0)
    with_room_for(desk, 20)
    for _ in range(4):
        desk.submit(pages=5)
    with pytest.raises(TooManyUnfinishedPages):
        desk.submit()


def test_nobody_is_refused_where_any_number_may_be(desk: Desk) -> None:
    with_room_for(desk, 0).submit(pages=50)
    desk.submit(pages=50)
    assert stored(desk) == 2
