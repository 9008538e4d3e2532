from django.conf import settings

from jobs import states
from jobs.dispatch.sweeper import sweep_expired_leases
from tests.jobs.conftest import Desk


def test_the_page_of_a_silent_worker_returns_to_the_queue(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    desk.claimed(page)
    desk.expire_lease(page)
    sweep_expired_leases()
    assert desk.pages(job)[0].state == states.QUEUED
    assert desk.claimed(page).attempt == 2


def test_a_page_whose_lease_is_good_is_left_alone(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    sweep_expired_leases()
    assert desk.pages(job)[0].lease_token == claim.token


def test_a_page_that_kills_its_workers_fails_and_closes_the_job(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    for _ in range(settings.MAAS_MAX_ATTEMPTS):
        desk.claimed(page)
        desk.expire_lease(page)
        sweep_expired_leases()
    ended = desk.again(job)
    assert (ended.state, ended.error_code, ended.cost_micros) == (states.FAILED, "worker_lost", 0)
