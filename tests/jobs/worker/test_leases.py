import threading
from dataclasses import replace

from jobs.services import cancel_job
from jobs.worker.leases import Leases
from tests.jobs.conftest import Desk


def lease_until(desk: Desk, job_id: object) -> object:
    return next(page.lease_until for page in desk.pages(job_id))  # type: ignore[arg-type]


def wait_for(condition: object, patience_s: float = 10) -> bool:
    done = threading.Event()
    for _ in range(int(patience_s / 0.02)):
        if condition():  # type: ignore[operator]
            return True
        done.wait(0.02)
    return False


def test_a_held_page_is_renewed_before_its_lease_ends(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    before = lease_until(desk, job)
    leases = Leases(lease_s=0.3)
    leases.start()
    with leases.held(claim):
        assert wait_for(lambda: lease_until(desk, job) != before)
    leases.stop()


def test_a_canceled_page_is_let_go(desk: Desk) -> None:
    claim = desk.claimed(desk.pages(desk.submit())[0])
    leases = Leases(lease_s=0.3)
    leases.start()
    with leases.held(claim):
        cancel_job(identity=desk.identity, job_id=claim.job_id)
        assert wait_for(lambda: leases.count == 0)
    leases.stop()


def test_a_stopping_worker_hands_its_pages_to_the_next(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    leases = Leases(lease_s=30)
    with leases.held(desk.claimed(page)):
        leases.hand_back_all()
    assert desk.claimed(page).attempt == 1


def test_a_page_that_hangs_is_given_up_so_that_another_worker_can_try_it(desk: Desk) -> None:
    now_s = 0.0
    leases = Leases(lease_s=30, page_limit_s=600, clock=lambda: now_s)
    claim = desk.claimed(desk.pages(desk.submit())[0])
    with leases.held(claim):
        now_s = 599.0
        leases.renew_once()
        assert leases.holds(claim)
        now_s = 601.0
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
