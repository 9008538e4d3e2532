"""Tests of fair release over the real tables: floods, priorities, two releases at once, limits, and suspended
tenants.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connections, transaction

from inference.registry.models import ModelVersion
from inference.workers.brokers import queue_depth
from jobs.core.models import FairShare, Job, Page
from jobs.core.priorities import BULK, INTERACTIVE, STANDARD
from jobs.events.broker import publishing_broker
from jobs.queue import fair_release as taking
from jobs.queue import waiting_queues as waiting
from jobs.queue.fair_release import Capacity, take
from jobs.queue.release import release_version
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tests.jobs.conftest import Desk
from tests.jobs.queue.conftest import at_once, elsewhere
from tests.waiting import eventually

FLOOD = 2_000
# The pages of a flood get ids that are older than any other.
_FLOOD = """
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, worker, error_code,
                       error_detail, cost_micros, created_at, priority)
SELECT ('00000000' || substr(gen_random_uuid()::text, 9))::uuid, tenant_id, id,
       model_version_id, 1 + number, 'queued', 0, '', '', '', 0, now(), priority
FROM jobs_job CROSS JOIN generate_series(1, %s) number WHERE id = %s
"""


def submit(desk: Desk, priority: int = STANDARD) -> Job:
    name = desk.version.served_model.name
    request = JobRequest(model=name, input={"text": "hello"}, priority=priority)
    return submit_job(identity=desk.identity, request=request)


def flood(desk: Desk, pages: int = FLOOD, priority: int = STANDARD) -> Job:
    job = submit(desk, priority)
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_FLOOD, [pages - 1, job.id])
    return job


def set_tenant(desk: Desk, **fields: object) -> None:
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(**fields)


def released(desk: Desk, pages: int, window: int = 10**6, share: int = 0) -> list[Page]:
    """Release pages and return them in the order in which workers would be notified of them."""
    wakes = take(Capacity(desk.version.id, window, pages, 1.0, share=share))
    with operator_work():
        found = Page.objects.in_bulk([wake.page_id for wake in wakes])
    return [found[wake.page_id] for wake in wakes]


def finish_all(desk: Desk) -> None:
    """End all pages that are under way."""
    desk.sql(
        "UPDATE jobs_page SET state = 'succeeded' WHERE model_version_id = %s AND renotify_at IS NOT NULL",
        desk.version.id,  # type: ignore[arg-type]
    )


@pytest.mark.usefixtures("quiet")
def test_one_tenants_flood_does_not_keep_another_out_of_the_very_next_release(desk: Desk, rival: Desk) -> None:
    flood(desk)
    assert len(released(desk, 16)) == 16
    job = submit(rival)
    assert job.id in {page.job_id for page in released(desk, 2)}


@pytest.mark.usefixtures("quiet")
def test_two_tenants_with_much_to_do_take_turns(desk: Desk, rival: Desk) -> None:
    flood(desk)
    released(desk, 40)
    flood(rival)
    theirs = [page.tenant_id for page in released(desk, 40)]
    assert abs(theirs.count(rival.identity.tenant_id) - 20) <= 1


@pytest.mark.usefixtures("quiet")
def test_a_tenant_of_more_weight_gets_more(desk: Desk, rival: Desk) -> None:
    set_tenant(rival, weight=3)
    flood(desk, 200)
    flood(rival, 200)
    theirs = [page.tenant_id for page in released(desk, 40)]
    assert abs(theirs.count(rival.identity.tenant_id) - 30) <= 1


@pytest.mark.usefixtures("quiet")
def test_a_tenant_of_heavier_pages_gets_fewer_as_workers_have_seen_them(desk: Desk, rival: Desk) -> None:
    flood(desk, 200)
    flood(rival, 200)
    room = Capacity(desk.version.id, 10**6, 40, 1.0, {str(desk.identity.tenant_id): 3.0})
    theirs = [wake.tenant_id for wake in take(room)]
    assert abs(theirs.count(rival.identity.tenant_id) - 30) <= 1


@pytest.mark.usefixtures("quiet")
def test_shares_are_kept_over_many_small_releases(desk: Desk, rival: Desk) -> None:
    flood(desk, 300)
    flood(rival, 300, BULK)
    counted = {STANDARD: 0, BULK: 0}
    for _ in range(50):
        for page in released(desk, 1):
            counted[page.priority] += 1
    assert abs(counted[BULK] - 10) <= 1


@pytest.mark.usefixtures("quiet")
def test_the_urgent_go_first_and_bulk_still_moves(desk: Desk) -> None:
    for priority in (BULK, STANDARD, INTERACTIVE):
        flood(desk, 300, priority)
    first, rest = released(desk, 3), released(desk, 39)
    assert [page.priority for page in first] == [INTERACTIVE, STANDARD, BULK]
    assert {page.priority for page in rest} == {INTERACTIVE, STANDARD, BULK}


def test_a_retry_keeps_the_priority_of_its_job(desk: Desk) -> None:
    job = submit(desk, BULK)
    cancel_job(identity=desk.identity, job_id=job.id)
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert again.priority == BULK
    assert desk.pages(again)[0].priority == BULK


@pytest.mark.usefixtures("quiet")
def test_within_a_line_the_oldest_goes_first(desk: Desk) -> None:
    jobs = [submit(desk) for _ in range(6)]
    assert [page.job_id for page in released(desk, 4)] == [job.id for job in jobs[:4]]


@pytest.mark.usefixtures("quiet")
def test_a_one_page_job_does_not_wait_behind_a_long_job_of_its_tenant(desk: Desk) -> None:
    long = desk.submit_document(desk.document(300))
    assert {page.job_id for page in released(desk, 8)} == {long.id}
    short = submit(desk)
    assert released(desk, 1)[0].job_id == short.id
    assert released(desk, 1)[0].job_id == long.id


@pytest.mark.usefixtures("quiet")
def test_a_long_job_moves_while_short_jobs_of_its_tenant_keep_coming(desk: Desk) -> None:
    long = desk.submit_document(desk.document(300))
    released(desk, 8)
    # The long job and its remaining pages were submitted five minutes ago.
    desk.sql("UPDATE jobs_page SET queue_at = queue_at - interval '5 minutes' WHERE job_id = %s", long.id)
    for _ in range(8):
        submit(desk)
    first = [page.job_id for page in released(desk, 4)]
    assert first[:3] == [long.id] * 3
    assert first[3] != long.id


@pytest.mark.usefixtures("quiet")
def test_pages_of_one_job_keep_their_order(desk: Desk) -> None:
    job = desk.submit_document(desk.document(40))
    assert [page.number for page in released(desk, 20)] == list(range(1, 21))
    assert {page.job_id for page in released(desk, 20)} == {job.id}


@pytest.mark.usefixtures("quiet")
def test_two_who_release_at_once_never_exceed_the_window_nor_release_twice(desk: Desk, rival: Desk) -> None:
    flood(desk, 500)
    flood(rival, 500)
    taken: list[list[object]] = []

    def release(_number: int) -> None:
        for _ in range(5):
            taken.append([wake.page_id for wake in take(Capacity(desk.version.id, 37, 10, 1.0))])

    at_once(4, release)
    pages = [page for some in taken for page in some]
    assert len(pages) == len(set(pages)) == 37


def test_the_window_holds_while_many_submit_at_once(desk: Desk, settings: Any) -> None:
    settings.MAAS_PAGES_AT_ONCE = 0
    window = 2 * settings.MAAS_WORKER_THREADS

    def submit_some(_number: int) -> None:
        for _ in range(12):
            desk.submit()

    at_once(6, submit_some)
    release_version(desk.version.id, desk.version.key)
    assert queue_depth(publishing_broker(), desk.version.queue_name) == window


@pytest.mark.usefixtures("quiet")
def test_a_tenant_has_no_more_pages_under_way_than_it_may(desk: Desk, rival: Desk) -> None:
    set_tenant(desk, pages_at_once=3)
    flood(desk, 50)
    assert len(released(desk, 10)) == 3
    assert released(desk, 10) == []
    submit(rival)
    assert [page.tenant_id for page in released(desk, 10)] == [rival.identity.tenant_id]


@pytest.mark.usefixtures("quiet")
def test_a_tenant_of_whom_nobody_said_otherwise_leaves_a_share_to_others(desk: Desk, rival: Desk) -> None:
    flood(desk, 5)
    assert len(released(desk, 10, share=6)) == 5, "whatever fits is taken at once"
    flood(desk, 50)
    assert len(released(desk, 10, share=6)) == 1
    assert released(desk, 10, share=6) == []
    flood(rival, 50)
    theirs = [page.tenant_id for page in released(desk, 10, share=6)]
    assert theirs == [rival.identity.tenant_id] * 6
    set_tenant(desk, pages_at_once=0)
    assert len(released(desk, 10, share=6)) == 10


@pytest.mark.usefixtures("quiet")
def test_a_tenants_share_counts_its_pages_with_workers_and_none_that_wait_for_another_model(
    desk: Desk, make_version: Callable[..., ModelVersion]
) -> None:
    other = replace(desk, version=make_version())
    flood(other, 50)
    theirs = released(other, 10, share=6)
    flood(desk, 50)
    assert len(released(desk, 2, share=6)) == 2
    for page in theirs[:3]:
        other.claimed(page)
    assert len(released(desk, 10, share=6)) == 1


@pytest.mark.usefixtures("quiet")
def test_what_a_tenant_may_have_at_once_holds_over_several_models_released_at_the_same_moment(
    desk: Desk, make_version: Callable[..., ModelVersion]
) -> None:
    set_tenant(desk, pages_at_once=3)
    desks = [desk, *(replace(desk, version=make_version()) for _ in range(3))]
    for one in desks:
        flood(one, 50)
    together, taken = threading.Barrier(len(desks)), []

    def release(number: int) -> None:
        for _ in range(10):
            together.wait()
            taken.extend(take(Capacity(desks[number].version.id, 40, 10, 1.0)))

    at_once(len(desks), release)
    assert len(taken) == 3


@pytest.mark.usefixtures("quiet")
def test_tenants_without_a_limit_of_pages_do_not_wait_for_those_who_have_one(desk: Desk) -> None:
    flood(desk, 20)
    with operator_work(), transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [waiting.CAPS_LOCK])
        free: list[object] = []

        def release() -> None:
            free.extend(released(desk, 5))
            set_tenant(desk, pages_at_once=10)
            free.append(released(desk, 5))

        elsewhere(release)
    assert (len(free), free[-1]) == (6, [])
    assert len(released(desk, 10)) == 5


@pytest.mark.usefixtures("quiet")
def test_priorities_of_a_tenant_at_its_limit_leave_the_room_to_others(desk: Desk, rival: Desk) -> None:
    set_tenant(desk, pages_at_once=1)
    for priority in (INTERACTIVE, STANDARD, BULK):
        flood(desk, 20, priority)
    flood(rival, 20, BULK)
    theirs = [page.tenant_id for page in released(desk, 3)]
    assert theirs.count(rival.identity.tenant_id) == 2


@pytest.mark.usefixtures("quiet")
def test_a_message_is_sent_again_once_a_lease_would_have_ended(desk: Desk, settings: Any) -> None:
    settings.MAAS_LEASE_S = 2
    submit(desk)
    released(desk, 1)
    eventually(lambda: released(desk, 1), "the same page once more")
    settings.MAAS_LEASE_S = 3600
    assert taking.wake_s() == taking.WAKE_S


@pytest.mark.usefixtures("quiet")
def test_one_tenant_alone_may_use_every_place(desk: Desk) -> None:
    flood(desk, 100)
    assert len(released(desk, 50, window=40)) == 40


@pytest.mark.usefixtures("quiet")
def test_pages_of_a_suspended_tenant_wait_until_it_may_again(desk: Desk, rival: Desk) -> None:
    set_tenant(desk, state=Tenant.State.SUSPENDED)
    flood(desk, 20)
    job = submit(rival)
    assert [page.job_id for page in released(desk, 10)] == [job.id]
    set_tenant(desk, state=Tenant.State.ACTIVE)
    assert len(released(desk, 10)) == 10


def test_a_page_of_a_suspended_tenant_that_was_told_already_is_not_run(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    set_tenant(desk, state=Tenant.State.SUSPENDED)
    assert desk.claim(page) is None
    set_tenant(desk, state=Tenant.State.ACTIVE)
    assert desk.claimed(page).page_id == page.id


@pytest.mark.usefixtures("quiet")
def test_lost_messages_are_sent_again_before_others_have_turns(desk: Desk) -> None:
    flood(desk, 50)
    lost = {page.id for page in released(desk, 5)}
    desk.sql(
        "UPDATE jobs_page SET renotify_at = now() WHERE tenant_id = %s AND renotify_at IS NOT NULL",
        desk.identity.tenant_id,
    )
    assert {page.id for page in released(desk, 7)} >= lost


def lose_messages(desk: Desk) -> None:
    desk.sql(
        "UPDATE jobs_page SET renotify_at = now() WHERE model_version_id = %s AND renotify_at IS NOT NULL",
        desk.version.id,  # type: ignore[arg-type]
    )


@pytest.mark.usefixtures("quiet")
def test_lost_messages_of_a_tenant_with_a_limit_are_sent_again_first_and_within_it(desk: Desk) -> None:
    set_tenant(desk, pages_at_once=3)
    flood(desk, 50)
    lost = {page.id for page in released(desk, 10)}
    lose_messages(desk)
    assert {page.id for page in released(desk, 10)} == lost
    assert released(desk, 10) == []


@pytest.mark.usefixtures("quiet")
def test_lost_messages_do_not_pass_over_what_a_tenant_may_have_at_once_at_another_model(
    desk: Desk, make_version: Callable[..., ModelVersion]
) -> None:
    set_tenant(desk, pages_at_once=3)
    other = replace(desk, version=make_version())
    flood(desk, 20)
    flood(other, 20)
    lost = {page.id for page in released(desk, 10)}
    lose_messages(desk)
    elsewhere = released(other, 2)
    assert len(elsewhere) == 2
    again = released(desk, 10)
    assert len(again) == 1
    assert again[0].id in lost
    finish_all(other)
    assert {page.id for page in released(desk, 10)} <= lost


@pytest.mark.usefixtures("quiet")
def test_lost_messages_of_a_tenant_at_its_limit_keep_no_other_waiting(desk: Desk, rival: Desk) -> None:
    set_tenant(desk, pages_at_once=1)
    flood(desk, 20)
    released(desk, 10)
    set_tenant(desk, pages_at_once=8)
    released(desk, 10)
    lose_messages(desk)
    set_tenant(desk, pages_at_once=1)
    flood(rival, 20)
    theirs = [page.tenant_id for page in released(desk, 10)]
    assert (theirs.count(desk.identity.tenant_id), len(theirs)) == (1, 10)


@pytest.mark.usefixtures("quiet")
def test_a_page_that_somebody_has_locked_holds_nobody_up(desk: Desk) -> None:
    first, second = submit(desk), submit(desk)
    with unit_of_work(desk.identity.tenant_id):
        Page.objects.select_for_update().get(job=first)
        assert [page.job_id for page in released(desk, 10)] == [second.id]


@pytest.mark.usefixtures("quiet")
def test_whoever_releases_waits_a_moment_for_another_and_then_leaves_it_to_the_scheduler(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(desk)
    monkeypatch.setattr(taking, "LOCK_TIMEOUT_MS", 20)
    holds, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with operator_work(), connections[OPERATOR].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [taking.LOCK_CLASS + desk.version.id])
            holds.set()
            may_end.wait(10)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert holds.wait(10)
    assert released(desk, 5) == []
    may_end.set()
    thread.join()
    assert len(released(desk, 5)) == 1


@pytest.mark.usefixtures("quiet")
def test_turns_that_say_nothing_any_more_are_forgotten(desk: Desk, rival: Desk) -> None:
    flood(desk, 5)
    flood(rival, 200)
    for _ in range(30):
        released(desk, 2)
    with operator_work():
        kept = FairShare.objects.filter(model_version=desk.version)
        assert [turn.tenant_id for turn in kept] == [rival.identity.tenant_id]


@pytest.mark.usefixtures("quiet")
def test_fifty_thousand_waiting_pages_are_not_walked_through(desk: Desk, rival: Desk) -> None:
    """This holds even while the planner has no statistics about the pages."""
    flood(desk, 50_000)
    submit(rival)
    looks = (taking._TAKE_WHAT_FITS, waiting.LINES)
    assert [pages_read(desk, look) < 1_000 for look in looks] == [True, True]
    taken = {"tenants": [desk.identity.tenant_id], "priorities": [STANDARD], "pages": [8]}
    assert pages_read(desk, taking.TAKE_CHOSEN, **taken) < 1_000
    assert pages_read(desk, waiting.PAGES, **taken) < 1_000


@pytest.mark.usefixtures("quiet")
def test_nor_are_those_that_have_ended_to_see_who_is_new(desk: Desk, rival: Desk) -> None:
    job = flood(desk, 20)
    with connections[OPERATOR].cursor() as cursor:
        ended = _FLOOD.replace("'queued'", "'canceled'").replace("1 + number", "20 + number")
        cursor.execute(ended, [20_000, job.id])
    released(desk, 16)
    submit(rival)
    assert pages_read(desk, taking._TAKE_WHAT_FITS, window=1_000, room=1_000) < 400


def pages_read(desk: Desk, statement: str, **more: object) -> int:
    """Return the number of disk pages that the statement read, according to its plan."""
    values: dict[str, Any] = {
        "version": desk.version.id,
        "pool": None,
        "window": 8,
        "room": 8,
        "at_once": 0,
        "share": 6,
        "wake_s": 10,
        "overtaken_s": 0.5,
        "most": 8,
        **more,
    }
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", values)
        told = cursor.fetchone()[0]
    plan = (json.loads(told) if isinstance(told, str) else told)[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
