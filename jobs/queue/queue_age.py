"""Decides whether work that is accepted now would wait for too long, and whether the tenant's own pages are the cause.
This is pure code.

The wait of a page is estimated in two ways: from the pages that are released before it at the pace of the workers, and
from how long the first page of its queue has waited. The longer estimate counts. The first estimate shows a flood at
once. The second works if the pace is unknown.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from jobs.queue.fairness import UNKNOWN_COST_S, TenantQueue, pages_before

REOPENS_AT = 0.8
"""The share of the limit at which a refused caller is admitted again, so that the decisions do not alternate."""
UNKNOWN_PAUSE_S = 30.0
LONGEST_PAUSE_S = 3600.0
JITTER = 0.25
NOBODY = UUID(int=0)


class Verdict(Enum):
    OPEN = "open"
    OWN_BACKLOG = "own_backlog"
    """Another tenant that is new would be served in time: this tenant's own pages come first."""
    TOO_LONG = "queue_too_long"
    """Any caller would wait for too long."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The pages that wait for one version of a model, as of a moment ago."""

    lines: Sequence[TenantQueue]
    now: float
    """The virtual time."""
    counted: int
    """The number up to which the pages of each queue were counted."""
    oldest_s: Mapping[tuple[UUID, int], float]
    """The time that the first page of a queue has waited since it could run, by tenant and priority."""
    slots: int
    service_s: float
    """The time that a page takes in a slot. It is 0 if it is unknown, or if no worker serves the version."""


@dataclass(frozen=True, slots=True)
class Wait:
    own_s: float
    newcomers_s: float | None
    """The wait of a tenant that has nothing waiting, at the same priority. None if it cannot be determined."""


def wait_of(queue: Queue, tenant: UUID, priority: int) -> Wait:
    mine = next(
        (
            tenant_queue
            for tenant_queue in queue.lines
            if (tenant_queue.tenant, tenant_queue.priority) == (tenant, priority)
        ),
        None,
    )
    aged_s = queue.oldest_s.get((tenant, priority), 0.0)
    if queue.service_s <= 0:
        return Wait(aged_s, None)
    mine = mine or TenantQueue(tenant, priority, waiting=0)
    told_s = _told_s(queue, mine)
    return Wait(max(aged_s, told_s or 0.0), _told_s(queue, TenantQueue(NOBODY, priority, waiting=0)))


def _told_s(queue: Queue, tenant_queue: TenantQueue) -> float | None:
    before = pages_before(
        queue.lines,
        tenant_queue,
        tenant_queue.waiting,
        now=queue.now,
        cost_s=queue.service_s or UNKNOWN_COST_S,
        counted=queue.counted,
    )
    return None if before is None else before * queue.service_s / max(1, queue.slots)


def verdict(wait: Wait, limit_s: float, *, refused: bool) -> Verdict:
    """Decide whether a wait is short enough. A `limit_s` of 0: no limit. `refused`: the last request was."""
    if not limit_s or wait.own_s <= limit_s * (REOPENS_AT if refused else 1.0):
        return Verdict.OPEN
    if wait.newcomers_s is not None and wait.newcomers_s <= limit_s:
        return Verdict.OWN_BACKLOG
    return Verdict.TOO_LONG


def retry_after_s(wait: Wait, limit_s: float, chance: float) -> int:
    """Return the time until the queue is open if nothing more comes. `chance`, 0 to 1, spreads the callers."""
    is_known = wait.newcomers_s is not None
    pause_s = wait.own_s - limit_s * REOPENS_AT if is_known else UNKNOWN_PAUSE_S
    return math.ceil(min(LONGEST_PAUSE_S, max(1.0, pause_s)) * (1.0 + JITTER * chance))
