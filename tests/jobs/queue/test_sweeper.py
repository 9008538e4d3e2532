import pytest
from django.conf import settings
from django.db import transaction
from pytest_django import Settings

from jobs.core import states
from jobs.queue import sweeper
from jobs.queue.settlement import Failure, fail_page
from jobs.queue.sweeper import end_used_up_pages, sweep_expired_leases
from tenants.core.db.unit_of_work import OPERATOR
from tests.jobs.conftest import Desk
from tests.jobs.queue.conftest import elsewhere


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


def test_pages_that_cannot_be_swept_now_do_not_hide_those_behind_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "BATCH", 2)
    locked, other = desk.submit(pages=5), desk.submit()
    for page in [*desk.pages(locked), *desk.pages(other)]:
        desk.claimed(page)
        desk.expire_lease(page)
    with transaction.atomic(using=OPERATOR):
        desk.sql("SELECT FROM jobs_job WHERE id = %s FOR UPDATE", locked.id)
        elsewhere(sweep_expired_leases)
    assert desk.pages(other)[0].state == states.QUEUED
    assert {page.state for page in desk.pages(locked)} == {states.RUNNING}
    sweep_expired_leases()
    assert {page.state for page in desk.pages(locked)} == {states.QUEUED}


BROKEN = Failure("model_failed", "It broke.")


def test_a_waiting_page_without_tries_left_fails_with_what_it_met_last(desk: Desk, settings: Settings) -> None:
    """This happens after a start with a lower MAAS_MAX_ATTEMPTS. No worker may claim such a page, so its job would
    never end.
    """
    broken, silent, fresh = desk.submit(), desk.submit(), desk.submit()
    fail_page(desk.claimed(desk.pages(broken)[0]), BROKEN, may_retry=True)
    desk.claimed(desk.pages(silent)[0])
    desk.expire_lease(desk.pages(silent)[0])
    sweep_expired_leases()
    settings.MAAS_MAX_ATTEMPTS = 1
    end_used_up_pages()
    assert (desk.again(broken).state, desk.again(broken).error_code) == (states.FAILED, "model_failed")
    assert (desk.again(silent).state, desk.again(silent).error_code) == (states.FAILED, "worker_lost")
    assert desk.again(fresh).state == states.QUEUED


def test_pages_with_tries_left_go_on(desk: Desk) -> None:
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), BROKEN, may_retry=True)
    end_used_up_pages()
    assert desk.pages(job)[0].state == states.QUEUED


def test_one_whose_job_is_locked_is_left_for_the_next_round(desk: Desk, settings: Settings) -> None:
    locked, other = desk.submit(), desk.submit()
    for job in (locked, other):
        fail_page(desk.claimed(desk.pages(job)[0]), BROKEN, may_retry=True)
    settings.MAAS_MAX_ATTEMPTS = 1

    with transaction.atomic(using=OPERATOR):
        desk.sql("SELECT FROM jobs_job WHERE id = %s FOR UPDATE", locked.id)
        elsewhere(end_used_up_pages)
        assert desk.again(other).state == states.FAILED
        assert desk.again(locked).state == states.RUNNING
    end_used_up_pages()
    assert desk.again(locked).state == states.FAILED
