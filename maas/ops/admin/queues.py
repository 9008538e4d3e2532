"""The number of pages queued for each model version, and their longest wait. Each count stops at a fixed maximum."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db import connections

from inference.workers.heartbeats import WorkerReport
from inference.workers.placement.fleet import DEFAULT_POOL
from inference.workers.placement.peers import worker_of
from tenants.core.db.unit_of_work import OPERATOR
from tenants.core.durations import duration

COUNTED = 10_000
LONG_WAIT_S = 60
MAX_VERSIONS = 200

# The query avoids EXISTS, whose hashed form would read every page.
_QUEUES = """
WITH v AS (
    SELECT v.id, m.id AS model_id,
        m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number AS key,
        m.state, pool.name AS pool
    FROM inference_modelversion v JOIN inference_servedmodel m ON m.id = v.served_model_id
    LEFT JOIN inference_modelpool pool ON pool.id = m.pool_id
    LEFT JOIN LATERAL (SELECT true AS waits FROM jobs_page p
        WHERE p.model_version_id = v.id AND p.state = 'queued' LIMIT 1) AS queued ON true
    LEFT JOIN LATERAL (SELECT true AS runs FROM jobs_page p
        WHERE p.model_version_id = v.id AND p.state = 'running' LIMIT 1) AS running ON true
    WHERE v.state = 'ready' OR waits
    ORDER BY waits,
        m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number <> ALL(%(first)s),
        runs, m.name, v.number DESC
    LIMIT %(versions)s)
SELECT v.id, v.model_id, v.key, v.state,
       (SELECT count(*) FROM (SELECT FROM jobs_page p
            WHERE p.model_version_id = v.id AND p.state = 'queued' LIMIT %(most)s) AS waiting),
       coalesce((SELECT extract(epoch FROM clock_timestamp() - p.created_at)::float8 FROM jobs_page p
            WHERE p.model_version_id = v.id AND p.state = 'queued' ORDER BY p.id LIMIT 1), 0),
       (SELECT count(*) FROM (SELECT FROM jobs_page p
            WHERE p.model_version_id = v.id AND p.state = 'running' LIMIT %(most)s) AS running),
       coalesce(v.pool, %(default_pool)s)
FROM v
"""


@dataclass(frozen=True)
class Queue:
    version_id: int
    model_id: int
    key: str
    state: str
    waiting: int
    longest_wait_s: float
    running: int
    pool: str = DEFAULT_POOL
    served: bool = True
    """True unless pages are queued and no living worker belongs to the pool."""

    @property
    def waiting_words(self) -> str:
        return bounded(self.waiting)

    @property
    def running_words(self) -> str:
        return bounded(self.running)

    @property
    def longest_wait(self) -> str:
        return duration(self.longest_wait_s) if self.waiting else "–"

    @property
    def waits_long(self) -> bool:
        return self.longest_wait_s > LONG_WAIT_S

    @property
    def paused(self) -> bool:
        return self.state == "paused"


def queues(first: Iterable[str] = ()) -> list[Queue]:
    """Return the queues, busiest first. If there are too many, those with work and those of `first` are kept."""
    values: dict[str, Any] = {
        "most": COUNTED + 1,
        "versions": MAX_VERSIONS,
        "default_pool": DEFAULT_POOL,
        "first": list(first),
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_QUEUES, values)
        found = [Queue(*row) for row in cursor.fetchall()]
    return sorted(found, key=lambda queue: (-queue.waiting, -queue.running, queue.key))


def among(workers: Iterable[WorkerReport], found: Iterable[Queue]) -> list[Queue]:
    """Return the queues, each marked with whether these workers serve it."""
    living = [worker_of(report) for report in workers]
    return [
        replace(queue, served=not queue.waiting or any(worker.is_open_to(queue.pool) for worker in living))
        for queue in found
    ]


def bounded(count: int) -> str:
    return f"{COUNTED:,}+" if count > COUNTED else f"{count:,}"
