"""Reads a run's jobs from PostgreSQL, without the product and without row-level security."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from jobs.core.states import TERMINAL

from .books import BatchRow, Happening, Job, Money, PageRow, Posted, Use

_TIMEOUT_S = 60.0
_JOBS = """
SELECT id::text, state, cost_micros, pages_succeeded, pages_failed FROM jobs_job WHERE tenant_id = %s ORDER BY id
"""
_PAGES = """
SELECT job_id::text, id::text, number, state, attempt, cost_micros FROM jobs_page
WHERE tenant_id = %s ORDER BY job_id, number
"""
_EVENTS = """
SELECT job_id::text, seq, type, data, extract(epoch FROM created_at)::float8 FROM jobs_event
WHERE tenant_id = %s ORDER BY job_id, seq
"""
_USES = "SELECT source_id::text, amount_micros, source_kind FROM tenants_usagerecord WHERE tenant_id = %s"
_DAYS = "SELECT coalesce(sum(amount_micros), 0)::bigint FROM tenants_usageday WHERE tenant_id = %s"
_MISCOUNTED = """
SELECT (SELECT count(*) FROM (
    SELECT FROM (
        SELECT model_version_id, count(*) AS pages FROM jobs_page WHERE state = 'queued' GROUP BY 1
        UNION ALL SELECT model_version_id, -pages FROM jobs_queuedpages
    ) waiting GROUP BY model_version_id HAVING sum(pages) <> 0
) versions) + (SELECT count(*) FROM (
    SELECT FROM (
        SELECT e.tenant_id, e.currency, t.day, t.kind, e.account, e.amount_micros, 1 AS entries
        FROM tenants_ledgerentry e JOIN tenants_ledgertransaction t ON t.id = e.transaction_id
        UNION ALL SELECT tenant_id, currency, day, kind, account, -amount_micros, -entries FROM tenants_ledgerday
    ) entry GROUP BY tenant_id, currency, day, kind, account HAVING sum(amount_micros) <> 0 OR sum(entries) <> 0
) days)
"""
_WALLET = "SELECT available_micros, held_micros FROM tenants_wallet WHERE tenant_id = %s"
_POSTED = """
SELECT t.id::text, t.kind, t.source_kind, t.source_id::text, e.account, e.amount_micros
FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id
WHERE t.tenant_id = %s ORDER BY t.id
"""
_BATCHES = """
SELECT id::text, status, lines_total, lines_completed, lines_failed, cost_micros FROM jobs_batch WHERE tenant_id = %s
"""
_PENDING = "SELECT count(*) FROM jobs_webhookdelivery WHERE tenant_id = %s AND state = 'pending'"
_CALLS = "SELECT count(*) FROM tenants_usagerecord WHERE tenant_id = %s AND source_kind = 'call'"
_HELD = "SELECT job_id::text, number, attempt FROM jobs_page WHERE state = 'running' AND worker = %s"
_UNDER_WAY = "SELECT count(*) FROM jobs_page WHERE state = 'queued' AND renotify_at > clock_timestamp()"
_AGAIN = """
SELECT extract(epoch FROM min(created_at))::float8 FROM jobs_event
WHERE job_id = %s AND type = 'page.running' AND (data->>'page')::int = %s AND (data->>'attempt')::int > %s
"""
_PROGRESS = """
SELECT count(*) FILTER (WHERE state <> ALL(%(ends)s))
       + (SELECT count(*) FROM jobs_batch WHERE tenant_id = %(tenant)s AND finished_at IS NULL),
       coalesce(sum(last_seq), 0)::bigint
       + (SELECT coalesce(sum(lines_completed + lines_failed), 0) FROM jobs_batch WHERE tenant_id = %(tenant)s)
FROM jobs_job WHERE tenant_id = %(tenant)s
"""


@dataclass(frozen=True, slots=True)
class Held:
    """A page that a worker was working on when it died."""

    job_id: str
    number: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Progress:
    unfinished: int
    events: int


class Rows:
    """The rows of one tenant. Where the database is, is looked up for each query, because a promotion moves it."""

    def __init__(self, services: Mapping[str, str], tenant_id: str) -> None:
        self._services = services
        self._tenant_id = tenant_id

    async def held_by(self, worker: str) -> list[Held]:
        return [Held(*row) for row in await self._ask(_HELD, worker)]

    async def under_way(self) -> int:
        """Return the number of pages for which the broker should hold a message."""
        return int((await self._ask(_UNDER_WAY))[0][0])

    async def taken_up_again_at(self, held: Held) -> float | None:
        """Return when the page was taken up again. Return None if it did not have to be: it was canceled, or done
        before the death.
        """
        found = await self._ask(_AGAIN, held.job_id, held.number, held.attempt)
        return None if found[0][0] is None else float(found[0][0])

    async def progress(self) -> Progress:
        about = {"ends": list(TERMINAL), "tenant": self._tenant_id}
        unfinished, events = (await self._query(_PROGRESS, about))[0]
        return Progress(int(unfinished), int(events))

    async def deliveries_pending(self) -> int:
        return int((await self._ask(_PENDING, self._tenant_id))[0][0])

    async def calls_charged(self) -> int:
        return int((await self._ask(_CALLS, self._tenant_id))[0][0])

    async def batches(self) -> Mapping[str, BatchRow]:
        return {row[0]: BatchRow(*row) for row in await self._ask(_BATCHES, self._tenant_id)}

    async def money(self) -> Money:
        entries: defaultdict[tuple[str, str, str, str], dict[str, int]] = defaultdict(dict)
        for *named, account, micros in await self._ask(_POSTED, self._tenant_id):
            transaction_id, kind, source_kind, source_id = named
            entries[transaction_id, kind, source_kind, source_id][account] = int(micros)
        available, held = (await self._ask(_WALLET, self._tenant_id))[0]
        return Money(int(available), int(held), [Posted(*named[1:], moved) for named, moved in entries.items()])

    async def uses(self) -> list[Use]:
        return [Use(*row) for row in await self._ask(_USES, self._tenant_id)]

    async def day_micros(self) -> int:
        return int((await self._ask(_DAYS, self._tenant_id))[0][0])

    async def miscounted(self) -> int:
        rows = await self._query(_MISCOUNTED, ())
        return int(rows[0][0])

    async def jobs(self) -> Mapping[str, Job]:
        pages: defaultdict[str, list[PageRow]] = defaultdict(list)
        events: defaultdict[str, list[Happening]] = defaultdict(list)
        for job_id, *page in await self._ask(_PAGES, self._tenant_id):
            pages[job_id].append(PageRow(*page))
        for job_id, *event in await self._ask(_EVENTS, self._tenant_id):
            events[job_id].append(Happening(*event))
        jobs = {}
        for job_id, state, cost, succeeded, failed in await self._ask(_JOBS, self._tenant_id):
            jobs[job_id] = Job(job_id, state, cost, succeeded, failed, pages[job_id], events[job_id])
        return jobs

    async def _ask(self, query: str, *values: object) -> Sequence[tuple[Any, ...]]:
        return await self._query(query, values)

    async def _query(self, query: str, values: Sequence[object] | Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        async with asyncio.timeout(_TIMEOUT_S):
            url = self._services["MAAS_DATABASE_URL"]
            connecting = psycopg.AsyncConnection.connect(url, options="-c role=maas_operator")
            async with await connecting as connection:
                found = await connection.execute(query, values)
                return await found.fetchall()
