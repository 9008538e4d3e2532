"""The choice to retry a job, and the state of the last retry. This module makes no queries."""

from dataclasses import dataclass
from uuid import UUID

from jobs.core import states
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.reading.selectors import Reading


@dataclass(frozen=True)
class RetryView:
    offered: bool
    """A retry is offered. It is not offered while one is under way: a second request would return that same retry."""
    first_choice: bool
    """A retry is what the person most likely wants, so its button stands out."""
    hopeless: bool
    """Only another file helps."""
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
