"""The state of a run's jobs according to the database and the API, in the form in which it is checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .orders import Order


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that was not kept, with the job if it is about one."""

    rule: str
    detail: str
    job_id: str = ""


@dataclass(frozen=True, slots=True)
class Happening:
    """A row of a job's event log."""

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
    """A job as the API shows it to its owner. None stands for a job that the API did not show."""

    state: str
    cost_micros: int
    events: Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Use:
    """A usage row."""

    source_id: str
    amount_micros: int
    kind: str = "page"


@dataclass(frozen=True, slots=True)
class Posted:
    """A transaction of the ledger, and the amount that it moves on each account."""

    kind: str
    source_kind: str
    source_id: str
    entries: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Money:
    """The money of a tenant that pays in advance."""

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
    """The synchronous calls. They leave only their usage, so that only their number can be compared with it."""

    sent: int = 0
    answered: int = 0
    may_be_lost: bool = False
    """True if the durable Redis was wiped while it held usage that was not yet written."""


@dataclass(frozen=True, slots=True)
class Books:
    """The stored state of one tenant after a run."""

    accepted: Mapping[str, Sequence[str]]
    """The IDs that were returned for each Idempotency-Key, however often it was sent."""
    jobs: Mapping[str, Job]
    seen: Mapping[str, Seen | None]
    uses: Sequence[Use]
    day_micros: int
    """The sum of the usage by day."""
    max_attempts: int
    miscounted: int = 0
    """The sums of waiting pages and of the ledger's days that differ from the pages and entries themselves."""
    unanswered: Sequence[str] = field(default_factory=tuple)
    """Keys that were sent repeatedly until the harness gave up."""
    orders: Mapping[str, Order] = field(default_factory=dict)
    """The orders by key, if the check needs to know what was requested."""
    batches: Mapping[str, BatchRow] = field(default_factory=dict)
    accepted_batches: Mapping[str, Sequence[str]] = field(default_factory=dict)
    calls: Sync = Sync()
    money: Money | None = None
