"""The retry of a job as its page offers it, and what the page shows of an erased job."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs.core import states
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.reading.selectors import Reading
from tenants.billing.dashboard.money import shown_money


@dataclass(frozen=True)
class RetryView:
    offered: bool
    """A retry is offered. It is not offered while one is under way: a second request would return that same retry."""
    first_choice: bool
    """A retry is what the person most likely wants, so its button stands out."""
    hopeless: bool
    job: UUID | None
    state: str
    state_words: str


def retry_view(reading: Reading, may_retry: bool) -> RetryView:
    again = reading.retry
    state = again.state if again else ""
    return RetryView(
        offered=may_retry and state not in states.UNFINISHED,
        first_choice=not reading.hopeless and again is None,
        hopeless=reading.hopeless,
        job=again.id if again else None,
        state=state,
        state_words=state_words(state),
    )


@dataclass(frozen=True)
class TombstoneView:
    model: str
    pages_total: int
    state_words: str
    cost: str


def tombstone_view(tombstone: Mapping[str, Any]) -> TombstoneView:
    """Return the view of an erased job. `tombstone` is the extra data of JobErased."""
    job = tombstone["job"]
    return TombstoneView(
        model=job["model"],
        pages_total=job["pages_total"],
        state_words=state_words(job["state"]),
        cost=shown_money(job["cost_micros"], job["currency"]),
    )
