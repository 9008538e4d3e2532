"""What the database and the API say of the jobs of a run, in the form in which it is checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .orders import Order


@dataclass(frozen=True, slots=True)
class Broken:
    """One promise that was not kept, of one job where it is about one."""

    rule: str
    detail: str
    job_id: str = ""


@dataclass(frozen=True, slots=True)
class Happening:
    """One row of a job's event log."""

    seq: int
    type: str
    data: Mapping[str, Any]
    at_s: float = 0.0

    @property
    def ends_job(self) -> bool:
        return self.type in {
            "job.succeeded",
            "job.partially_succeeded",
            "job.failed",
            "job.canceled",
            "job.expired",
        }


@dataclass(frozen=True, slots=True)
class PageRow:
    id: str
    number: int
    state: str
    attempt: int
    cost_micros: int


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    state: str
    cost_micros: int
    pages_succeeded: int
    pages_failed: int
    pages: Sequence[PageRow]
    events: Sequence[Happening]


@dataclass(frozen=True, slots=True)
class Seen:
    """A job as its owner is shown it; None where the API did not show it."""

    state: str
    cost_micros: int
    events: Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Use:
    """One usage row."""

    source_id: str
    amount_micros: int
    kind: str = "page"


@dataclass(frozen=True, slots=True)
class Posted:
    """One transaction of the ledger, and what it moves on each account."""

    kind: str
    source_kind: str
    source_id: str
    entries: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Money:
    """Of a tenant that pays beforehand."""

    available_micros: int
    held_micros: int
    posted: Sequence[Posted]


@dataclass(frozen=True, slots=True)
class BatchRow:
    id: str
    status: str
    lines: int
    completed: int
    failed: int
    cost_micros: int


@dataclass(frozen=True, slots=True)
class Sync:
    """Synchronous calls, which leave nothing but their usage: only their number can be held against it."""

    sent: int = 0
    answered: int = 0
    may_be_lost: bool = False
    """The durable Redis was made to forget what was used and not yet written down."""


@dataclass(frozen=True, slots=True)
class Books:
    """All that is kept of one tenant after a run."""

    accepted: Mapping[str, Sequence[str]]
    """The ids that were given for each Idempotency-Key, however often it was sent."""
    jobs: Mapping[str, Job]
    seen: Mapping[str, Seen | None]
    uses: Sequence[Use]
    day_micros: int
    """The sum of the usage by day."""
    max_attempts: int
    unanswered: Sequence[str] = field(default_factory=tuple)
    """Keys that were sent until the harness lost patience."""
    orders: Mapping[str, Order] = field(default_factory=dict)
    """By key, where it is to be known what was asked for."""
    batches: Mapping[str, BatchRow] = field(default_factory=dict)
    accepted_batches: Mapping[str, Sequence[str]] = field(default_factory=dict)
    calls: Sync = Sync()
    money: Money | None = None
