"""Whether what is accepted now would wait for too long, and by whose doing; pure.

A page's wait is told twice: by the pages that have their turn before it, at the workers' pace, and by how long the
first of its line waits already. The longer counts: one sees a flood at once, the other a pace that nobody knows.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from jobs.queue.fairness import UNKNOWN_COST_S, Line, pages_before

REOPENS_AT = 0.8
"""Of the limit: whoever was refused is let in again a good deal below it, and not in turns with refusals."""
UNKNOWN_PAUSE_S = 30.0
LONGEST_PAUSE_S = 3600.0
JITTER = 0.25
NOBODY = UUID(int=0)


class Verdict(Enum):
    OPEN = "open"
    OWN_BACKLOG = "own_backlog"
    """Somebody new would be served in time: it is this tenant's own pages that come first."""
    TOO_LONG = "queue_too_long"
    """Whoever came would wait for too long."""


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits for one version of a model, as of a moment ago."""

    lines: Sequence[Line]
    now: float
    """In virtual time."""
    counted: int
    """Of no line more pages were counted."""
    oldest_s: Mapping[tuple[UUID, int], float]
    """By tenant and priority: how long the first page of the line has waited since it might have run."""
    slots: int
    service_s: float
    """What a page takes in a slot; 0 where nobody knows, or no worker takes pages of the version."""


@dataclass(frozen=True, slots=True)
class Wait:
    own_s: float
    newcomers_s: float | None
    """Of somebody who has nothing waiting, at the same priority; None where nobody can tell."""


def wait_of(queue: Queue, tenant: UUID, priority: int) -> Wait:
    mine = next((line for line in queue.lines if (line.tenant, line.priority) == (tenant, priority)), None)
    aged_s = queue.oldest_s.get((tenant, priority), 0.0)
    if queue.service_s <= 0:
        return Wait(aged_s, None)
    mine = mine or Line(tenant, priority, waiting=0)
    told_s = _told_s(queue, mine)
    return Wait(max(aged_s, told_s or 0.0), _told_s(queue, Line(NOBODY, priority, waiting=0)))


def _told_s(queue: Queue, line: Line) -> float | None:
    before = pages_before(
        queue.lines,
        line,
        line.waiting,
        now=queue.now,
        cost_s=queue.service_s or UNKNOWN_COST_S,
        counted=queue.counted,
    )
    return None if before is None else before * queue.service_s / max(1, queue.slots)


def verdict(wait: Wait, limit_s: float, *, refused: bool) -> Verdict:
    """`limit_s` 0 is none. `refused`: whether the last one was."""
    if not limit_s or wait.own_s <= limit_s * (REOPENS_AT if refused else 1.0):
        return Verdict.OPEN
    if wait.newcomers_s is not None and wait.newcomers_s <= limit_s:
        return Verdict.OWN_BACKLOG
    return Verdict.TOO_LONG


def retry_after_s(wait: Wait, limit_s: float, chance: float) -> int:
    """Until it is open again if nothing more comes; `chance` from 0 to 1 spreads those who come again."""
    known = wait.newcomers_s is not None
    pause_s = wait.own_s - limit_s * REOPENS_AT if known else UNKNOWN_PAUSE_S
    return math.ceil(min(LONGEST_PAUSE_S, max(1.0, pause_s)) * (1.0 + JITTER * chance))
