"""Test that workers that were considered dead and come back write nothing, at whatever moment they do."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.db import connections

from inference.core.contracts import Units, WorkOutput
from jobs.core import states
from jobs.core.models import Job
from jobs.queue.claims import Claim, claim_page
from jobs.queue.settlement import finish_page
from jobs.queue.sweeper import sweep_expired_leases
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import DONE, Desk
from tests.jobs.life.crashes import is_done

PAGES = 25
TIMES = 2
"""The number of tries, because a worker tries again what it cannot write."""
STALE = WorkOutput({"text": "too late"}, Units(pages=1, tokens=3, calls=1))


def test_of_two_hundred_finishes_that_come_too_late_none_is_written(desk: Desk) -> None:
    job = desk.submit(pages=PAGES)
    zombies = claim_all(desk, job)
    take_away(desk, job)
    late = written(zombies, STALE)
    owners = claim_all(desk, job)
    late += written(zombies, STALE)
    late += while_finishing(owners, lambda: written(zombies, STALE))
    late += written(zombies, STALE)
    assert len(late) == 4 * TIMES * PAGES == 200
    assert not any(late)
    all_is_the_owners(desk, job)


def claim_all(desk: Desk, job: Job) -> list[Claim]:
    claims = [claim_page(desk.identity.tenant_id, page.id, "one") for page in desk.pages(job)]
    return [claim for claim in claims if claim is not None]


def take_away(desk: Desk, job: Job) -> None:
    desk.sql("UPDATE jobs_page SET lease_until = clock_timestamp() - interval '1 s' WHERE job_id = %s", job.id)
    while sweep_expired_leases():
        pass
    assert {page.state for page in desk.pages(job)} == {states.QUEUED}


def written(claims: Sequence[Claim], output: WorkOutput, times: int = TIMES) -> list[bool]:
    return [is_done(partial(finish_page, claim, output)) for claim in claims for _ in range(times)]


def while_finishing(owners: Sequence[Claim], meanwhile: Callable[[], list[bool]]) -> list[bool]:
    """Finish the pages in another thread while `meanwhile` runs on the same pages in the same order."""
    together = threading.Barrier(2)

    def finish() -> list[bool]:
        together.wait()
        try:
            return written(owners, DONE, times=1)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        finished = thread.submit(finish)
        together.wait()
        said = meanwhile()
        assert all(finished.result())
    return said


def all_is_the_owners(desk: Desk, job: Job) -> None:
    pages, done = desk.pages(job), desk.again(job)
    assert (done.state, done.pages_succeeded, done.cost_micros) == (states.SUCCEEDED, PAGES, PAGES * 1500)
    assert all(page.result == {"text": "read"} for page in pages)
    with unit_of_work(desk.identity.tenant_id):
        assert UsageRecord.objects.filter(source_id__in=[page.id for page in pages]).count() == PAGES
