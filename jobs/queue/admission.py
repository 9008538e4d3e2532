"""Refuses jobs that would wait for too long. The rules are in jobs/queue/queue_age.py.

A process reads the queues of a version when jobs are submitted for it: once a second, or less often if very many pages
wait. Its decision for a caller holds until it reads the queues again. So during a flood, each job costs only a look-up
in a dictionary.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from inference.registry.models import ModelVersion
from inference.registry.references import public_key
from jobs.core.errors import BacklogTooLong, QueueTooLong
from jobs.core.priorities import BULK, DEFAULT, INTERACTIVE, NAMES, NUMBERS, STANDARD
from jobs.core.recent_refusals import turned_away
from jobs.queue.fairness import TenantQueue
from jobs.queue.home_queues import at_home, home_queue
from jobs.queue.queue_age import Queue, Verdict, Wait, retry_after_s, verdict, wait_of
from jobs.queue.slots import fleet_of
from jobs.queue.waiting_queues import OF_LINE, counted_queues
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.errors import DomainError
from tenants.limits.rates.metrics import REFUSED

COUNTED, COUNTED_OF_ALL = 5_000, 20_000
"""The pages counted in each queue, and in all together. In a longer queue, the age of its first page shows the rest."""
LOOK_EVERY_S = 1.0
MAX_OF_TIME = 0.05
"""The largest share of its time that a process spends on reading the queues, however many pages wait."""
MAX_REMEMBERED = 10_000
REFUSAL_COUNTS_S = 60.0

_OLDEST = f"""
SELECT line.tenant_id, line.priority, extract(epoch FROM clock_timestamp() - first.since)::float8
FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[]) AS line (tenant_id, priority)
CROSS JOIN LATERAL (
    SELECT greatest(queue_at, run_after) AS since FROM jobs_page page
    WHERE model_version_id = %(version)s AND state = 'queued' AND renotify_at IS NULL
      AND run_after <= statement_timestamp() AND {OF_LINE} LIMIT 1
) first
"""  # noqa: S608  # made of constants alone


@dataclass(frozen=True, slots=True)
class _Caller:
    tenant: UUID
    priority: int


@dataclass(slots=True)
class _Seen:
    queue: Queue
    until_s: float
    decided: dict[_Caller, tuple[Verdict, Wait]] = field(default_factory=dict)


_seen: dict[str, _Seen] = {}
"""The queues as last read, by the key of the queue in which they have their home."""


def require_short_queue(tenant_id: UUID, version: ModelVersion, priority: int) -> None:
    """Raise BacklogTooLong or QueueTooLong if the job would wait too long, before anything of it is stored."""
    if not _limit_s(priority):
        return
    key = home_queue(version, tenant_id, priority)
    _refuse_if_told(key, _look(version, key), _Caller(tenant_id, priority))


def anybody_refused() -> bool:
    """Return whether a refusal of any caller still counts (`REFUSAL_COUNTS_S`)."""
    return time.monotonic() < _newest.until_s


def refuse_known(tenant_id: UUID, fields: Mapping[str, str]) -> None:
    """Refuse a caller again, without a query or Django. `fields` may lack those after a file in a form."""
    model = fields.get("model", "")
    priority = NUMBERS.get(fields.get("priority", DEFAULT))
    if not model or priority is None:
        return
    caller, now_s = _Caller(tenant_id, priority), time.monotonic()
    checked_at = [(key, seen) for key, seen in list(_seen.items()) if model in (key, key.partition("@")[0])]
    if len(checked_at) != 1:
        return  # If there are several versions, it is not known here which is meant.
    key, seen = checked_at[0]
    if now_s < seen.until_s and caller in seen.decided:
        _refuse_if_told(key, seen, caller)


def _refuse_if_told(key: str, seen: _Seen, caller: _Caller) -> None:
    limit_s = _limit_s(caller.priority)
    decision = seen.decided.get(caller)
    if decision is None:
        decision = seen.decided[caller] = _decided(key, seen.queue, caller, limit_s)
    found, wait = decision
    if found is not Verdict.OPEN:
        raise _refusal(key, caller, found, wait, limit_s)


@dataclass(slots=True)
class _Newest:
    until_s: float = 0.0


_newest = _Newest()
"""The refusal that counts longest. When it no longer counts, no refusal does."""
_refused: dict[tuple[str, _Caller], float] = {}
"""The end of each caller's latest refusal. Until then it is admitted only if its wait is well below the limit."""


def _decided(key: str, queue: Queue, caller: _Caller, limit_s: float) -> tuple[Verdict, Wait]:
    wait = wait_of(queue, caller.tenant, caller.priority)
    now_s = time.monotonic()
    found = verdict(wait, limit_s, refused=now_s < _refused.get((key, caller), 0.0))
    _refused.pop((key, caller), None)
    if found is not Verdict.OPEN:
        if len(_refused) >= MAX_REMEMBERED:
            _refused.clear()
        _refused[key, caller] = _newest.until_s = now_s + REFUSAL_COUNTS_S
    return found, wait


def _look(version: ModelVersion, key: str) -> _Seen:
    """Return the queues as last read. One thread reads them again after a while, without holding up the others."""
    now_s = time.monotonic()
    seen = _seen.get(key)
    if seen is not None:
        if now_s < seen.until_s:
            return seen
        seen.until_s = now_s + LOOK_EVERY_S
    queue = _queue_of(version, key)
    spent_s = time.monotonic() - now_s
    fresh = _Seen(queue, now_s + max(LOOK_EVERY_S, spent_s / MAX_OF_TIME))
    if len(_seen) >= MAX_REMEMBERED:
        _seen.clear()
    _seen[key] = fresh
    return fresh


def _queue_of(version: ModelVersion, key: str) -> Queue:
    fleet = fleet_of(key)
    with operator_work():
        counted = counted_queues(version.id, fleet.hefts, most=COUNTED, of_all=COUNTED_OF_ALL)
        found = at_home(version, key, counted)
        oldest = _oldest(version.id, found.lines) if found.lines else {}
    service_s = fleet.service_s if fleet.served else 0.0
    return Queue(found.lines, found.now, found.counted, oldest, fleet.slots, service_s)


def _oldest(version_id: int, lines: Sequence[TenantQueue]) -> dict[tuple[UUID, int], float]:
    values: dict[str, Any] = {
        "version": version_id,
        "tenants": [queue.tenant for queue in lines],
        "priorities": [queue.priority for queue in lines],
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_OLDEST, values)
        return {(tenant, priority): age_s for tenant, priority, age_s in cursor.fetchall()}


def _limit_s(priority: int) -> int:
    limits = {
        INTERACTIVE: settings.MAAS_MAX_QUEUE_AGE_INTERACTIVE_S,
        STANDARD: settings.MAAS_MAX_QUEUE_AGE_STANDARD_S,
        BULK: settings.MAAS_MAX_QUEUE_AGE_BULK_S,
    }
    return limits[priority]


def _refusal(key: str, caller: _Caller, found: Verdict, wait: Wait, limit_s: float) -> DomainError:
    pause_s = retry_after_s(wait, limit_s, random.random())  # noqa: S311  # jitter, not a secret
    kind, model = NAMES[caller.priority], public_key(key)
    extra = {
        "retry_after_s": pause_s,
        "limit": {"scope": "model", "name": f"queue_age_{kind}", "amount": int(limit_s), "model": model},
    }
    if found is Verdict.OWN_BACKLOG:
        REFUSED.labels("tenant", "queue_age").inc()
        turned_away(caller.tenant)
        return BacklogTooLong(
            f"The queued {kind} pages of this account for {model} already need {_span(wait.own_s)};"
            f" the maximum is {_span(limit_s)}. Send this again in {pause_s} s or use a lower priority.",
            extra=extra,
        )
    REFUSED.labels("model", "queue_age").inc()
    return QueueTooLong(
        f"The expected wait of {kind} pages for {model} is {_span(wait.own_s)} or more;"
        f" the maximum is {_span(limit_s)}. Send this again in {pause_s} s or use a lower priority.",
        extra=extra,
    )


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
