import threading
from datetime import datetime
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connections, transaction

from jobs.core import states
from jobs.core.errors import LeaseLost
from jobs.core.models import Event, Job, Page
from jobs.queue import claims
from jobs.queue.claims import Claim, claim_page, hand_back, renew_leases, say_loading
from jobs.queue.settlement import finish_page
from jobs.queue.sweeper import sweep_expired_leases
from jobs.submission.cancellations import cancel_job
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tests.jobs.conftest import DONE, Desk
from tests.jobs.queue.conftest import at_once, elsewhere
from tests.waiting import eventually


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


def test_of_fifty_claims_at_once_one_wins(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    won: list[Claim | None] = []

    def claim(number: int) -> None:
        won.append(claim_page(desk.identity.tenant_id, page.id, str(number)))

    at_once(50, claim)
    assert len(won) == 50
    assert sum(claim is not None for claim in won) == 1


def test_an_expired_lease_may_be_claimed_by_another(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    first = desk.claimed(page)
    desk.expire_lease(page)
    second = desk.claim(page, "two")
    assert second is not None
    assert second.token > first.token
    assert second.attempt == 2


def somebody_waits_for_a_lock() -> bool:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


def test_nothing_is_said_of_a_load_once_the_job_has_ended(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])

    def say() -> None:
        say_loading(claim)
        connections.close_all()

    late = threading.Thread(target=say)
    with unit_of_work(desk.identity.tenant_id):
        finish_page(claim, DONE)
        late.start()
        eventually(somebody_waits_for_a_lock, "the news waiting for the job")
    late.join()
    with unit_of_work(desk.identity.tenant_id):
        types = list(Event.objects.filter(job=job).order_by("seq").values_list("type", flat=True))
    assert types[-1] == "job.succeeded"


def test_a_worker_that_lost_its_lease_writes_nothing(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    stale = desk.claimed(page)
    desk.expire_lease(page)
    desk.finish(page)
    with pytest.raises(LeaseLost):
        finish_page(stale, DONE)
    assert desk.again(job).pages_succeeded == 1


def test_renewal_keeps_only_what_is_still_held(desk: Desk) -> None:
    kept, lost = (desk.claimed(desk.pages(desk.submit())[0]) for _ in range(2))
    cancel_job(identity=desk.identity, job_id=lost.job_id)
    assert renew_leases([kept, lost]) == {kept.token}


def test_a_page_that_somebody_has_locked_keeps_no_other_from_being_renewed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "LOCK_TIMEOUT_MS", 3_600_000)
    stuck, lost, other = (desk.claimed(desk.pages(desk.submit())[0]) for _ in range(3))
    cancel_job(identity=desk.identity, job_id=lost.job_id)
    before = lease_ends(desk, stuck, other)
    with transaction.atomic(using=OPERATOR):
        desk.sql("SELECT FROM jobs_page WHERE id = %s FOR UPDATE", stuck.page_id)
        renewed = elsewhere(lambda: renew_leases([stuck, lost, other]))
    assert renewed == {stuck.token, other.token}, "what is locked now may still be ours"
    after = lease_ends(desk, stuck, other)
    assert (after[0] == before[0], after[1] > before[1]) == (True, True)


def lease_ends(desk: Desk, *claims: Claim) -> list[datetime]:
    with unit_of_work(desk.identity.tenant_id):
        ends = [Page.objects.get(id=claim.page_id).lease_until for claim in claims]
    return [end for end in ends if end is not None]


def test_a_page_handed_back_is_in_the_jobs_log(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    assert hand_back(claim)
    assert not hand_back(claim)
    with unit_of_work(desk.identity.tenant_id):
        said = list(Event.objects.filter(job=job).order_by("seq").values_list("type", "data"))
    assert said[2:] == [
        ("page.running", {"page": 1, "attempt": 1, "state": "running"}),
        ("page.requeued", {"page": 1, "state": "queued", "reason": "handed_back"}),
    ]


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


def lost(desk: Desk, page: Page, times: int) -> None:
    """Let that many workers die while they hold the page."""
    for _ in range(times):
        eventually(lambda: desk.claim(page), "a claim")
        desk.expire_lease(page)
        sweep_expired_leases()


LAST = settings.MAAS_MAX_ATTEMPTS - 1


def test_the_last_try_of_a_page_that_workers_died_with_is_for_one_that_holds_no_other_such_page(
    desk: Desk,
) -> None:
    page = desk.pages(desk.submit())[0]
    lost(desk, page, LAST)
    assert claim_page(desk.identity.tenant_id, page.id, "busy", may_apart=lambda: False) is None
    with unit_of_work(desk.identity.tenant_id):
        again = Page.objects.get(id=page.id)
    assert (again.state, again.renotify_at, again.attempt) == (states.QUEUED, None, LAST)
    assert desk.claim(page) is None, "it comes again a moment later"
    claim = eventually(lambda: desk.claim(page), "a worker that may take it", 5)
    assert claim.apart


def test_a_page_whose_lease_ended_just_now_counts_as_one_that_a_worker_died_with(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    lost(desk, page, LAST - 1)
    assert desk.claimed(page).apart is False
    desk.expire_lease(page)
    assert claim_page(desk.identity.tenant_id, page.id, "busy", may_apart=lambda: False) is None
    assert desk.claimed(page).apart is True


def test_other_pages_and_first_tries_after_a_loss_are_taken_beside_it(desk: Desk) -> None:
    fresh, once = (desk.pages(desk.submit())[0] for _ in range(2))
    lost(desk, once, 1)
    for page in (fresh, once):
        claim = claim_page(desk.identity.tenant_id, page.id, "busy", may_apart=lambda: False)
        assert claim is not None
        assert claim.apart is False


def test_a_page_whose_job_is_locked_is_left_to_the_end_of_its_lease(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    with operator_work(), transaction.atomic(using=OPERATOR):
        list(Job.objects.select_for_update().filter(id=job.id))
        assert hand_back(claim) is False
    assert hand_back(claim) is True


def test_pages_of_documents_can_be_left_where_they_are(desk: Desk) -> None:
    text, document = desk.pages(desk.submit())[0], desk.pages(desk.submit(pages=2))[0]
    tenant_id = desk.identity.tenant_id
    assert claim_page(tenant_id, document.id, "one", documents=False) is None
    assert claim_page(tenant_id, text.id, "one", documents=False) is not None
    claim = claim_page(tenant_id, document.id, "one")
    assert claim is not None
    assert claim.attempt == 1
