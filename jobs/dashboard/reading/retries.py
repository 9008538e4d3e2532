"""Whether a job is worth another try, and what became of the last one; no queries."""

from dataclasses import dataclass
from uuid import UUID

from jobs.core import states
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.reading.selectors import Reading


@dataclass(frozen=True)
class RetryView:
    offered: bool
    """Not while one is under way: asked again, it would be that one."""
    first_choice: bool
    """What one most likely wants; else it is done again on one's own account."""
    hopeless: bool
    """Another file is what helps."""
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
