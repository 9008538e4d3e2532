import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

from jobs.core.models import Job
from jobs.submission.cancellations import cancel_job
from jobs.worker.leases import HANG_TIMEOUT_S, WORD_BEFORE_PAGE_S, Leases
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import Desk
from tests.waiting import eventually


def test_a_held_page_is_renewed_before_its_lease_ends(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    before = desk.pages(job)[0].lease_until
    leases = Leases(lease_s=0.3)
    leases.start()
    with leases.held(claim):
        eventually(lambda: desk.pages(job)[0].lease_until != before, "a renewal", 10)
    leases.stop()


def test_a_canceled_page_is_let_go(desk: Desk) -> None:
    claim = desk.claimed(desk.pages(desk.submit())[0])
    leases = Leases(lease_s=0.3)
    leases.start()
    with leases.held(claim) as call:
        cancel_job(identity=desk.identity, job_id=claim.job_id)
        eventually(lambda: leases.count == 0, "the end of the work", 10)
        assert call.canceled
    leases.stop()


def test_a_page_that_is_claimed_after_the_worker_left_is_handed_back_and_no_attempt_counts(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    leases = Leases(lease_s=30)
    leases.hand_back_all()
    with leases.held(claim := desk.claimed(page)) as call:
        assert (leases.holds(claim), call.canceled) == (False, True)
    (page,) = desk.pages(job)
    assert (page.state, page.attempt) == ("queued", 0)


def test_a_page_whose_job_is_locked_for_a_moment_is_handed_back_nevertheless(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    leases = Leases(lease_s=30)
    with leases.held(claim), ThreadPoolExecutor(1) as threads:
        with unit_of_work(desk.identity.tenant_id):
            Job.objects.select_for_update().get(id=job.id)
            handing_back = threads.submit(leases.hand_back_all)
            time.sleep(0.7)  # It has given up once by now.
        handing_back.result()
        assert desk.pages(job)[0].state == "queued"


def test_a_page_that_another_worker_took_over_is_let_go(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    claim = desk.claimed(page)
    leases = Leases(lease_s=30)
    with leases.held(claim) as call:
        desk.expire_lease(page)
        desk.claimed(page)
        leases.renew_once()
        assert (leases.holds(claim), call.canceled) == (False, True)


def test_a_cancel_ends_the_work_on_that_jobs_pages_alone(desk: Desk) -> None:
    mine, other = (desk.claimed(desk.pages(desk.submit())[0]) for _ in range(2))
    leases = Leases(lease_s=30)
    with leases.held(mine) as canceled, leases.held(other) as untouched:
        leases.cancel_job(mine.job_id)
        leases.cancel_job(uuid4())
        assert (canceled.canceled, untouched.canceled) == (True, False)


def test_a_cancel_heard_just_before_its_page_is_entered_is_not_forgotten(desk: Desk) -> None:
    now_s = 100.0
    claim = desk.claimed(desk.pages(desk.submit())[0])
    leases = Leases(lease_s=30, clock=lambda: now_s)
    leases.cancel_job(claim.job_id)
    with leases.held(claim) as call:
        assert call.canceled
    now_s += WORD_BEFORE_PAGE_S
    with leases.held(claim) as call:
        assert not call.canceled, "a word that was wrong does not hold up a job for ever"


def test_a_stopping_worker_hands_its_pages_to_the_next(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    leases = Leases(lease_s=30)
    with leases.held(desk.claimed(page)) as call:
        leases.hand_back_all()
        assert call.canceled
    assert desk.claimed(page).attempt == 1


def test_a_page_that_hangs_is_given_up_so_that_another_worker_can_try_it(desk: Desk) -> None:
    now_s = 0.0
    leases = Leases(lease_s=30, page_limit_s=600, clock=lambda: now_s)
    claim = desk.claimed(desk.pages(desk.submit())[0])
    with leases.held(claim) as call:
        now_s = 599.0
        leases.renew_once()
        assert (leases.holds(claim), call.canceled) == (True, False)
        now_s = 601.0
        leases.renew_once()
        assert (leases.holds(claim), call.canceled, leases.hung) == (True, True, 0), "it is told to end first"
        now_s = 600.0 + HANG_TIMEOUT_S + 1
        leases.renew_once()
        assert (leases.holds(claim), leases.hung) == (False, 1)
    assert leases.hung == 0, "a thread that came back after all hangs no more"


def test_one_page_that_cannot_be_handed_back_does_not_keep_the_others(desk: Desk) -> None:
    broken, other = (desk.pages(desk.submit())[0] for _ in range(2))
    leases = Leases(lease_s=30)
    nobodys = replace(desk.claimed(broken), tenant_id=None)  # type: ignore[arg-type]
    with leases.held(nobodys), leases.held(desk.claimed(other)):
        leases.hand_back_all()
    assert desk.claimed(other).attempt == 1
