"""Finds the position of a job: one statement for the job, and one look at the queues a second for all jobs."""

import time
from functools import partial

from django.db import connections

from inference.registry.models import ModelVersion
from inference.runtime.made_once import OncePerKey
from jobs.core import states
from jobs.core.models import Job
from jobs.queue.fairness import UNKNOWN_COST_S, TenantQueue, pages_before, release_window
from jobs.queue.home_queues import at_home, home_queue
from jobs.queue.slots import ModelFleet, any_workers, fleet_of
from jobs.queue.waiting import NextPage, Speed, Standing, standing
from jobs.queue.waiting_queues import OF_LINE, CountedQueues, counted_queues
from tenants.core.db.unit_of_work import OPERATOR, operator_work

COUNTED, COUNTED_OF_ALL = 500, 20_000
"""The pages counted of each other queue, and of all together. If more had to be known, a job has no position."""
OWN_COUNTED = 5_000
"""The pages of its own queue that are counted, so that a client that asks after many jobs causes little work."""
LINES_KEPT_S = 1.0
MAX_REMEMBERED = 1_000
_lines: "OncePerKey[CountedQueues]" = OncePerKey(capacity=MAX_REMEMBERED)

# The statement returns nothing while a page of the job is being worked on: then the job does not wait. Such pages stand
# first in the index, so that a single look-up there answers both, however many pages have ended.
_NEXT_PAGE = f"""
SELECT line.run_after <= statement_timestamp(), line.renotify_at IS NOT NULL, tenant.state <> 'active',
    CASE WHEN line.renotify_at IS NULL THEN (
        SELECT count(*) FROM (
            SELECT FROM jobs_page page
            WHERE page.model_version_id = line.model_version_id AND page.state = 'queued'
              AND page.renotify_at IS NULL AND page.run_after <= statement_timestamp()
              AND (page.queue_at, page.id) < (line.queue_at, line.id) AND {OF_LINE} LIMIT %(most)s
        ) before
    ) ELSE 0 END
FROM (
    SELECT * FROM jobs_page WHERE job_id = %(job)s AND state IN ('queued', 'running')
    ORDER BY state DESC, number LIMIT 1
) line JOIN tenants_tenant tenant ON tenant.id = line.tenant_id
WHERE line.state = 'queued'
"""  # noqa: S608  # made of constants alone


def standing_of(job: Job) -> Standing:
    """Return the standing of a job that the caller may see. It reveals of other jobs only how many pages come first."""
    if job.state not in states.UNFINISHED:
        return Standing()
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_NEXT_PAGE, {"job": job.id, "most": OWN_COUNTED})
        row = cursor.fetchone()
        if row is None:
            return Standing()
        due, published, suspended, own_before = row
        key = home_queue(job.model_version, job.tenant_id, job.priority)
        fleet = fleet_of(key)
        if published or suspended or not due:
            return standing(NextPage(suspended, due, published, False, 0, 0), _speed(fleet))
        lines = _lines_of(job.model_version, key, fleet)
    mine = _line(job, lines)
    before = None
    if own_before < OWN_COUNTED:
        pages_first = partial(
            pages_before,
            mine=mine,
            own_before=own_before,
            now=lines.now,
            cost_s=fleet.service_s or UNKNOWN_COST_S,
            counted=lines.counted,
        )
        before = pages_first(lines.lines)
        without_own = pages_first([queue for queue in lines.lines if queue.tenant != job.tenant_id])
        if before is not None and without_own is not None:
            own_before += before - without_own
    page = NextPage(False, True, False, mine.room == 0, own_before, before)
    return standing(page, _speed(fleet))


def _speed(fleet: ModelFleet) -> Speed:
    window = release_window(fleet.slots, fleet.service_s)
    return Speed(any_workers(), fleet.served, fleet.slots, window, fleet.service_s)


def _line(job: Job, lines: CountedQueues) -> TenantQueue:
    """Return the queue of a job. A queue that has appeared since the queues were read begins now."""
    key = (job.tenant_id, job.priority)
    found = [queue for queue in lines.lines if (queue.tenant, queue.priority) == key]
    return found[0] if found else TenantQueue(*key, waiting=1)


def _lines_of(version: ModelVersion, key: str, fleet: ModelFleet) -> CountedQueues:
    """Return the queues, which are read once a second however many callers ask."""
    second = int(time.monotonic() / LINES_KEPT_S)
    return _lines.get(f"{key} {second}", lambda: _look(version, key, fleet))


def _look(version: ModelVersion, key: str, fleet: ModelFleet) -> CountedQueues:
    return at_home(version, key, counted_queues(version.id, fleet.hefts, most=COUNTED, of_all=COUNTED_OF_ALL))
