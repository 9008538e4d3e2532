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
"""Why a page is queued again whose worker gave it back unfinished, as one that stops does."""
SAME_PAGE_RUNS = "same_page_runs"
"""Why a page is queued again whose worker found that another page is being run for the same result."""


@dataclass(frozen=True)
class Tally:
    """How far a job's pages have come."""

    total: int
    succeeded: int
    failed: int

    @property
    def complete(self) -> bool:
        return self.succeeded + self.failed >= self.total


def closing_state(tally: Tally) -> str | None:
    """The terminal state of a job whose pages stand like this; None while pages are open."""
    if not tally.complete:
        return None
    if tally.failed == 0:
        return SUCCEEDED
    return PARTIALLY_SUCCEEDED if tally.succeeded else FAILED


def poll_again_after_s(age_s: float) -> int:
    """What a poller is told to wait: short while most jobs end, longer for a long one."""
    return 1 if age_s < 10 else 2 if age_s < 60 else 5


def retry_delay_s(attempt: int, jitter: float) -> float:
    """Full back-off of 1, 4, 16 … seconds, at most 60, plus up to a quarter of it (`jitter` in 0..1)."""
    step = min(60.0, 4.0 ** max(0, attempt - 1))
    return step * (1 + 0.25 * jitter)
