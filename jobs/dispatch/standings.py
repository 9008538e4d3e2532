"""Where a job stands among all that wait: a look of one statement, and one at the lines every second for all jobs."""

import time
from dataclasses import dataclass

from django.db import connections

from jobs import states
from jobs.dispatch.fairness import UNKNOWN_COST_S, Line, pages_before, release_window
from jobs.dispatch.slots import ModelFleet, any_workers, fleet_of
from jobs.dispatch.turns import OF_LINE, Waiting, waiting_lines
from jobs.dispatch.waiting import NextPage, Speed, Standing, standing
from jobs.models import Job
from tenants.context import OPERATOR, operator_work

COUNTED = 500
"""Of each other line. Where more would have to be known, a job has no position."""
OWN_COUNTED = 5_000
"""Whoever asks again and again after ten thousand jobs has little counted each time."""
LINES_KEPT_S = 1.0
MOST_REMEMBERED = 1_000
_lines: dict[int, tuple[float, Waiting]] = {}

# Nothing while one of the job's pages is being worked on: then it does not wait.
_NEXT_PAGE = f"""
SELECT line.run_after <= statement_timestamp(), line.wake_again_at IS NOT NULL, tenant.state <> 'active',
    CASE WHEN line.wake_again_at IS NULL THEN (
        SELECT count(*) FROM (
            SELECT FROM jobs_page page
            WHERE page.model_version_id = line.model_version_id AND page.state = 'queued'
              AND page.wake_again_at IS NULL AND page.run_after <= statement_timestamp()
              AND page.id < line.id AND {OF_LINE} LIMIT %(most)s
        ) before
    ) ELSE 0 END
FROM jobs_page line JOIN tenants_tenant tenant ON tenant.id = line.tenant_id
WHERE line.job_id = %(job)s AND line.state = 'queued'
  AND NOT EXISTS (SELECT FROM jobs_page other WHERE other.job_id = %(job)s AND other.state = 'running')
ORDER BY line.number LIMIT 1
"""  # noqa: S608  # made of constants alone


@dataclass(frozen=True, slots=True)
class _Own:
    due: bool
    told: bool
    suspended: bool
    before: int


def standing_of(job: Job) -> Standing:
    """Of a job that the caller may see. What is told of others is how many pages come first, and no more."""
    if job.state not in states.UNFINISHED:
        return Standing()
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_NEXT_PAGE, {"job": job.id, "most": OWN_COUNTED})
        row = cursor.fetchone()
        if row is None:
            return Standing()
        own = _Own(*row)
        fleet = fleet_of(job.model_version.key)
        if own.told or own.suspended or not own.due:
            return standing(NextPage(own.suspended, own.due, own.told, False, 0, 0), _speed(fleet))
        waiting = _waiting(job.model_version_id)
    mine = _line(job, waiting)
    before = None
    if own.before < OWN_COUNTED:
        cost_s = fleet.service_s or UNKNOWN_COST_S
        before = pages_before(
            waiting.lines, mine, own.before, now=waiting.now, cost_s=cost_s, counted=COUNTED
        )
    page = NextPage(False, True, False, mine.room == 0, own.before, before)
    return standing(page, _speed(fleet))


def _speed(fleet: ModelFleet) -> Speed:
    window = release_window(fleet.slots, fleet.service_s)
    return Speed(any_workers(), fleet.served, fleet.slots, window, fleet.service_s)


def _line(job: Job, waiting: Waiting) -> Line:
    """One that has come since the lines were looked at has its turn from now on."""
    key = (job.tenant_id, job.priority)
    found = [line for line in waiting.lines if (line.tenant, line.priority) == key]
    return found[0] if found else Line(*key, waiting=1)


def _waiting(version_id: int) -> Waiting:
    kept_until_s, kept = _lines.get(version_id, (0.0, None))
    if kept is None or time.monotonic() > kept_until_s:
        if len(_lines) >= MOST_REMEMBERED:
            _lines.clear()
        kept = waiting_lines(version_id, COUNTED)
        _lines[version_id] = (time.monotonic() + LINES_KEPT_S, kept)
    return kept
