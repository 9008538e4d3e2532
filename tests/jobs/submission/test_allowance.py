"""Tests of how much work a tenant may submit. A refusal stores nothing, and nothing made spends nothing."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.db import connections

from jobs.core.errors import TooManyUnfinishedJobs, TooManyUnfinishedPages
from jobs.core.models import Job, Page
from jobs.core.recent_refusals import was_turned_away
from jobs.submission import allowance
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.limits.rates.limits import caller_limits
from tenants.limits.rates.rates import Rates
from tenants.limits.rates.refusals import RateLimited
from tenants.limits.rates.spending import Spending
from tests.inference.rpc.mortal import MortalRedis
from tests.jobs.conftest import Desk

UNHURRIED = Spending(settings.MAAS_REDIS_URL, timeout_s=20)


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "spending", lambda: UNHURRIED)


def with_rates(desk: Desk, models: dict[str, Rates] | None = None, **rates: int) -> Desk:
    limits = caller_limits(desk.identity.tenant_id, Rates(**rates), models=models)
    return replace(desk, identity=replace(desk.identity, rates=limits))


def with_room_for(desk: Desk, jobs: int | None) -> Desk:
    limits = replace(desk.identity.limits, unfinished_jobs=jobs)
    return replace(desk, identity=replace(desk.identity, limits=limits))


def stored(identity: Identity) -> tuple[int, int]:
    with unit_of_work(identity.tenant_id):
        return Job.objects.count(), Page.objects.count()


def left(desk: Desk) -> int:
    standings = UNHURRIED.standings(desk.identity.rates.pages)
    assert standings is not None
    return standings[0].left


def test_pages_are_counted_when_a_job_is_accepted(desk: Desk) -> None:
    desk = with_rates(desk, pages_per_minute=10)
    desk.submit(pages=6)
    with pytest.raises(RateLimited) as refused:
        desk.submit(pages=5)
    assert stored(desk.identity) == (1, 6)
    assert refused.value.extra["limit"] == {"scope": "tenant", "name": "pages", "amount": 10, "window_s": 60}
    assert 1 <= int(str(refused.value.extra["retry_after_s"])) <= 6
    assert "this has 5" in refused.value.detail
    desk.submit(pages=4)


def test_a_job_larger_than_the_limit_waits_for_a_full_bucket_and_owes_the_rest(desk: Desk) -> None:
    desk = with_rates(desk, pages_per_minute=10)
    desk.submit(pages=25)
    with pytest.raises(RateLimited) as refused:
        desk.submit(pages=1)
    assert 90 <= int(str(refused.value.extra["retry_after_s"])) <= 96


def test_a_larger_job_is_not_let_in_while_pages_are_used_up(desk: Desk) -> None:
    desk = with_rates(desk, pages_per_minute=10)
    desk.submit()
    with pytest.raises(RateLimited):
        desk.submit(pages=25)


def test_what_fails_after_its_pages_were_counted_gives_them_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = with_rates(desk, pages_per_minute=10)

    def fail(*_: Any) -> None:
        raise RuntimeError("the database says no")

    monkeypatch.setattr("jobs.submission.services.insert", fail)
    with pytest.raises(RuntimeError):
        desk.submit(pages=8)
    assert left(desk) == 10


def test_of_several_limits_all_are_met_or_none_is_spent(desk: Desk) -> None:
    model = desk.version.served_model.name
    desk = with_rates(desk, {model: Rates(pages_per_minute=3)}, pages_per_minute=10)
    for _ in range(3):
        desk.submit()
    with pytest.raises(RateLimited) as refused:
        desk.submit()
    assert refused.value.extra["limit"]["scope"] == "model"  # type: ignore[index]
    assert left(desk) == 7


def test_a_retry_counts_the_pages_that_it_does_again(desk: Desk) -> None:
    job = desk.submit(pages=5)
    cancel_job(identity=desk.identity, job_id=job.id)
    desk = with_rates(desk, pages_per_minute=4)
    desk.submit()
    with pytest.raises(RateLimited):
        retry_job(identity=desk.identity, job_id=job.id)
    assert stored(desk.identity)[0] == 2


def test_no_more_jobs_are_unfinished_than_may_be(desk: Desk) -> None:
    desk = with_room_for(desk, 2)
    job = desk.submit()
    desk.submit()
    with pytest.raises(TooManyUnfinishedJobs) as refused:
        desk.submit()
    assert int(str(refused.value.extra["retry_after_s"])) >= 1
    assert stored(desk.identity)[0] == 2
    assert was_turned_away(desk.identity.tenant_id)
    cancel_job(identity=desk.identity, job_id=job.id)
    desk.submit()


def test_who_submit_at_once_find_no_more_places_than_there_are(desk: Desk) -> None:
    desk = with_room_for(desk, 5)

    def is_taken(_: int) -> bool:
        try:
            desk.submit()
        except TooManyUnfinishedJobs:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(is_taken, range(12))) == stored(desk.identity)[0] == 5


def test_without_redis_each_process_keeps_the_limit_for_itself(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    redis = MortalRedis()
    spending = Spending(redis.url, timeout_s=1)
    monkeypatch.setattr(allowance, "spending", lambda: spending)
    desk = with_rates(desk, pages_per_minute=10)
    desk.submit(pages=4)
    redis.kill()
    desk.submit(pages=6)
    with pytest.raises(RateLimited):
        desk.submit(pages=3)
    assert stored(desk.identity)[0] == 2


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    allowance._counted.clear()
    yield
    allowance._counted.clear()


def with_page_limit(desk: Desk, pages: int) -> Desk:
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(unfinished_pages=pages)
    # A changed limit is effective within a second.
    allowance._counted.clear()
    return desk


def test_no_more_pages_are_unfinished_than_may_be(desk: Desk) -> None:
    job = with_page_limit(desk, 10).submit(pages=6)
    with pytest.raises(TooManyUnfinishedPages) as refused:
        desk.submit(pages=5)
    assert "6 unfinished pages and this job has 5 more" in refused.value.detail
    limit = {"scope": "tenant", "name": "unfinished_pages", "amount": 10}
    pause_s = allowance.UNKNOWN_PAUSE_S
    assert refused.value.extra == {"gate": "unfinished_pages", "retry_after_s": pause_s, "limit": limit}
    assert stored(desk.identity)[0] == 1
    assert was_turned_away(desk.identity.tenant_id)
    desk.submit(pages=4)
    cancel_job(identity=desk.identity, job_id=job.id)
    desk.submit(pages=6)


def test_a_page_that_ends_makes_room(desk: Desk) -> None:
    job = with_page_limit(desk, 3).submit(pages=3)
    with pytest.raises(TooManyUnfinishedPages):
        desk.submit()
    desk.finish(desk.pages(job)[0])
    desk.submit()


def test_the_pause_is_what_is_too_much_at_the_pace_of_the_last_minute(desk: Desk) -> None:
    job = with_page_limit(desk, 20).submit(pages=20)
    for page in desk.pages(job)[:2]:
        desk.finish(page)
    with pytest.raises(TooManyUnfinishedPages) as refused:
        desk.submit(pages=3)
    # Two pages end in a minute, and one page is too many.
    assert refused.value.extra["retry_after_s"] == 30


def test_a_job_larger_than_the_limit_is_let_in_alone(desk: Desk) -> None:
    with_page_limit(desk, 5).submit(pages=9)
    with pytest.raises(TooManyUnfinishedPages):
        desk.submit()


def test_a_retry_counts_as_unfinished_the_pages_that_it_does_again(desk: Desk) -> None:
    job = desk.submit(pages=5)
    cancel_job(identity=desk.identity, job_id=job.id)
    with_page_limit(desk, 6).submit(pages=2)
    with pytest.raises(TooManyUnfinishedPages):
        retry_job(identity=desk.identity, job_id=job.id)


def test_a_large_limit_counts_what_this_process_lets_in_between_two_looks(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "COUNTED_EACH_TIME", 5)
    monkeypatch.setattr(allowance, "COUNT_KEPT_S", 3600.0)
    with_page_limit(desk, 20)
    for _ in range(4):
        desk.submit(pages=5)
    with pytest.raises(TooManyUnfinishedPages):
        desk.submit()


def test_nobody_is_refused_where_any_number_may_be(desk: Desk) -> None:
    with_page_limit(desk, 0).submit(pages=50)
    desk.submit(pages=50)
    assert stored(desk.identity)[0] == 2
