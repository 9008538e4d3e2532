"""Checks every few seconds, once for all watchers, for changes whose notifications were lost."""

import asyncio
import time
from uuid import UUID

import structlog

from jobs.documents.job_selectors import JobPosition, job_places, newest_event
from jobs.streaming.hub import Change, Hub
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
EVERY_S = 5.0
SHORTEST_PAUSE_S = 0.5
AT_ONCE = 1_000


def pause_s(took_s: float) -> float:
    """Return the seconds until the next round. Rounds begin `EVERY_S` apart, however long each one takes."""
    return min(EVERY_S, max(SHORTEST_PAUSE_S, EVERY_S - took_s))


class Rounds:
    """The regular check. It makes one query for each tenant in place of one query for each of a thousand waits."""

    def __init__(self, hub: Hub, threads: DatabaseThreads) -> None:
        self._hub = hub
        self._threads = threads
        self._newest: dict[UUID, str] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        began_s = time.monotonic()
        while True:
            await asyncio.sleep(pause_s(time.monotonic() - began_s))
            began_s = time.monotonic()
            try:
                await self.go()
            except DomainError:
                pass  # If the database does not respond, nothing is reported.
            except Exception:
                log.exception("missed_changes_not_checked")

    async def go(self) -> None:
        watched = self._hub.watched()
        self._newest = {tenant_id: position for tenant_id, position in self._newest.items() if tenant_id in watched}
        for tenant_id, subjects in watched.items():
            if tenant_id in subjects:
                await self._look_at_tenant(tenant_id)
            jobs = list(subjects - {tenant_id})
            for first in range(0, len(jobs), AT_ONCE):
                some = jobs[first : first + AT_ONCE]
                places = await self._threads.run(job_places, tenant_id, some)
                self._tell(tenant_id, places)

    async def _look_at_tenant(self, tenant_id: UUID) -> None:
        newest = await self._threads.run(newest_event, tenant_id)
        if self._newest.get(tenant_id) != newest:
            self._newest[tenant_id] = newest
            for watch in self._hub.watches(tenant_id):
                watch.wake()

    def _tell(self, tenant_id: UUID, places: dict[UUID, JobPosition]) -> None:
        for job_id, position in places.items():
            change = Change(tenant_id, job_id, position.ended)
            for watch in self._hub.watches(job_id):
                if position.last_seq > int(watch.seen):
                    watch.hear(change)
