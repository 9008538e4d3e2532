"""Tests of a job's position among all that wait, over the real tables."""

import pytest

from inference.registry.models import ModelVersion
from inference.runtime.made_once import OncePerKey
from inference.workers.heartbeats import live_workers_with_long_timeout
from jobs.core.models import Job
from jobs.core.priorities import BULK, INTERACTIVE
from jobs.queue import queue_positions, slots
from jobs.queue.queue_positions import standing_of
from jobs.queue.waiting import Standing
from jobs.queue.waiting_queues import CountedQueues
from tenants.accounts.models import Tenant
from tests.jobs.conftest import Desk
from tests.jobs.queue.conftest import at_once
from tests.jobs.queue.test_fair_release import flood, pages_read, released, set_tenant, submit

pytestmark = pytest.mark.usefixtures("quiet", "nothing_seen", "worker")


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_positions, "_lines", OncePerKey())
    # A busy machine may take longer than the timeout of requests, and then no worker would be seen.
    monkeypatch.setattr(slots, "live_workers", live_workers_with_long_timeout)


def stands(desk: Desk, job: Job) -> Standing:
    return standing_of(desk.again(job))


def test_a_job_is_told_how_many_pages_come_first(desk: Desk) -> None:
    flood(desk, 30)
    told = stands(desk, submit(desk))
    assert (told.position, told.reason_waiting) == (30, "queued_behind_own")
    assert told.eta_seconds is not None
    assert told.eta_seconds == 4


def test_a_short_job_counts_only_the_pages_of_a_long_one_that_come_first(desk: Desk) -> None:
    long = desk.submit_document(desk.document(300))
    told = stands(desk, submit(desk))
    assert told.position == 1
    assert stands(desk, long).position == 0


def test_own_pages_of_another_priority_are_no_others(desk: Desk) -> None:
    flood(desk, 30, INTERACTIVE)
    job = submit(desk)
    told = stands(desk, job)
    assert told.position is not None
    assert told.position > 0
    assert told.reason_waiting == "queued_behind_own"


def test_of_a_flood_of_others_only_those_count_that_have_their_turn_first(desk: Desk, rival: Desk) -> None:
    flood(desk, 500)
    released(desk, 20)
    told = stands(rival, submit(rival))
    assert told.position is not None
    assert told.position <= 1


def test_the_urgent_stand_before_the_rest(desk: Desk, rival: Desk) -> None:
    flood(desk, 50, BULK)
    assert stands(rival, submit(rival, INTERACTIVE)) == Standing(0, 1, "starting")


def test_a_job_whose_page_was_told_to_a_worker_starts(desk: Desk) -> None:
    job = submit(desk)
    assert len(released(desk, 1)) == 1
    assert stands(desk, job).reason_waiting == "starting"


def test_a_job_whose_page_runs_or_ended_does_not_wait(desk: Desk) -> None:
    job = submit(desk)
    desk.claimed(desk.pages(job)[0])
    assert stands(desk, job) == Standing()
    done = submit(desk)
    desk.finish(desk.pages(done)[0])
    assert stands(desk, done) == Standing()


def test_a_job_that_is_to_be_tried_again_says_so(desk: Desk) -> None:
    job = submit(desk)
    desk.sql("UPDATE jobs_page SET run_after = now() + interval '1 minute' WHERE job_id = %s", job.id)
    assert stands(desk, job) == Standing(reason_waiting="retry_pending")


def test_a_tenant_at_its_cap_and_one_that_is_suspended_are_told_so(desk: Desk) -> None:
    set_tenant(desk, pages_at_once=1)
    submit(desk)
    released(desk, 1)
    job = submit(desk)
    assert stands(desk, job).reason_waiting == "concurrency_limit"
    set_tenant(desk, state=Tenant.State.SUSPENDED)
    assert stands(desk, job) == Standing(reason_waiting="tenant_suspended")


def test_a_job_of_which_many_pages_have_ended_is_looked_at_quickly(desk: Desk) -> None:
    job = flood(desk, 50_000)
    desk.sql("UPDATE jobs_page SET state = 'succeeded' WHERE job_id = %s AND number < 49990", job.id)
    # The first look after so many ended at once passes over them, and leaves a note for the later looks.
    pages_read(desk, queue_positions._NEXT_PAGE, job=job.id)
    assert pages_read(desk, queue_positions._NEXT_PAGE, job=job.id) < 2_000


def test_however_many_ask_at_once_the_lines_are_looked_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    look = queue_positions._look

    def counted_look(version: ModelVersion, key: str, fleet: slots.ModelFleet) -> CountedQueues:
        looks.append(version.id)
        return look(version, key, fleet)

    monkeypatch.setattr(queue_positions, "_look", counted_look)
    monkeypatch.setattr(queue_positions, "LINES_KEPT_S", 3600.0)
    job, told = submit(desk), list[int | None]()
    at_once(8, lambda _: told.append(stands(desk, job).position))
    assert (told, looks) == ([0] * 8, [desk.version.id])
