"""The states of jobs and pages, and what a job becomes when its last page ends."""

from dataclasses import dataclass

QUEUED = "queued"
RUNNING = "running"
SUCCEEDED = "succeeded"
PARTIALLY_SUCCEEDED = "partially_succeeded"
FAILED = "failed"
CANCELED = "canceled"
EXPIRED = "expired"

JOB_STATES = (QUEUED, RUNNING, SUCCEEDED, PARTIALLY_SUCCEEDED, FAILED, CANCELED, EXPIRED)
PAGE_STATES = (QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELED, EXPIRED)
TERMINAL = frozenset({SUCCEEDED, PARTIALLY_SUCCEEDED, FAILED, CANCELED, EXPIRED})
UNFINISHED = frozenset({QUEUED, RUNNING})

HANDED_BACK = "handed_back"
"""The reason why a page is queued again if its worker gave it back unfinished, as a worker that stops does."""
SAME_PAGE_RUNS = "same_page_runs"
"""The reason why a page is queued again if its worker found that another page is being run for the same result."""


@dataclass(frozen=True)
class Tally:
    """The progress of a job's pages."""

    total: int
    succeeded: int
    failed: int

    @property
    def complete(self) -> bool:
        return self.succeeded + self.failed >= self.total


def closing_state(tally: Tally) -> str | None:
    """Return the terminal state of a job with this tally, or None while pages are open."""
    if not tally.complete:
        return None
    if tally.failed == 0:
        return SUCCEEDED
    return PARTIALLY_SUCCEEDED if tally.succeeded else FAILED


def poll_again_after_s(age_s: float) -> int:
    """Return the seconds that a polling client is asked to wait: few at first, and more for a long job."""
    return 1 if age_s < 10 else 2 if age_s < 60 else 5


def retry_delay_s(attempt: int, jitter: float) -> float:
    """Return the back-off of 1, 4, 16 … seconds, at most 60, plus up to a quarter of it (`jitter` in 0..1)."""
    step = min(60.0, 4.0 ** max(0, attempt - 1))
    return step * (1 + 0.25 * jitter)
