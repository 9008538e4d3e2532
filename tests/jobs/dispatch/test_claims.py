import threading
from uuid import uuid4

from django.conf import settings
from django.db import connections

from jobs import states
from jobs.dispatch.claims import Claim, claim_page, hand_back, renew_leases
from jobs.dispatch.settlement import finish_page
from jobs.errors import Fenced
from jobs.models import Event
from jobs.services import cancel_job
from tenants.context import unit_of_work
from tests.jobs.conftest import DONE, Desk


def test_a_claim_starts_page_and_job(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    assert claim.attempt == 1
    assert desk.again(job).state == states.RUNNING
    assert desk.pages(job)[0].state == states.RUNNING


def test_a_repeated_message_finds_nothing_to_do(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    assert desk.claim(page) is not None
    assert desk.claim(page, "two") is None


def test_of_many_claims_at_once_one_wins(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    won: list[Claim | None] = []

    def claim() -> None:
        won.append(claim_page(desk.identity.tenant_id, page.id, threading.current_thread().name))
        connections.close_all()

    threads = [threading.Thread(target=claim) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in won) == 1


def test_an_expired_lease_may_be_claimed_by_another(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    first = desk.claimed(page)
    desk.expire_lease(page)
    second = desk.claim(page, "two")
    assert second is not None
    assert second.token > first.token
    assert second.attempt == 2


def test_the_fenced_worker_writes_nothing(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    stale = desk.claimed(page)
    desk.expire_lease(page)
    desk.finish(page)
    try:
        finish_page(stale, DONE)
    except Fenced:
        pass
    else:
        raise AssertionError("a stale claim finished a page")
    assert desk.again(job).pages_succeeded == 1


def test_renewal_keeps_only_what_is_still_held(desk: Desk) -> None:
    kept, lost = (desk.claimed(desk.pages(desk.submit())[0]) for _ in range(2))
    cancel_job(identity=desk.identity, job_id=lost.job_id)
    assert renew_leases([kept, lost]) == {kept.token}


def test_a_page_handed_back_can_be_claimed_at_once_and_the_attempt_does_not_count(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    hand_back(desk.claimed(page))
    assert desk.claimed(page).attempt == 1


def test_a_page_is_never_claimed_more_often_than_allowed(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    for _ in range(settings.MAAS_MAX_ATTEMPTS):
        desk.claimed(page)
        desk.expire_lease(page)
    assert desk.claim(page) is None


def test_another_tenants_message_claims_nothing(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    assert claim_page(uuid4(), page.id, "forger") is None


def test_events_are_numbered_without_gaps(desk: Desk) -> None:
    job = desk.submit(pages=3)
    for page in desk.pages(job):
        desk.finish(page)
    with unit_of_work(desk.identity.tenant_id):
        rows = list(Event.objects.filter(job=job).order_by("seq").values_list("seq", "type"))
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
    assert [kind for _, kind in rows] == [
        "job.queued",
        "job.running",
        "page.running",
        "page.succeeded",
        "page.running",
        "page.succeeded",
        "page.running",
        "page.succeeded",
        "job.succeeded",
    ]
