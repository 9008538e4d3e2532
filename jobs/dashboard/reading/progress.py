"""Says how far a running job is, and how long the rest may take. This module is pure."""

from datetime import datetime
from typing import Protocol

from tenants.core.durations import age

MIN_PAGES = 1
"""The pages that must have ended before the rest can be estimated."""


class Progress(Protocol):
    @property
    def pages_total(self) -> int: ...
    @property
    def pages_done(self) -> int: ...
    @property
    def started_at(self) -> datetime | None: ...


def progress_words(job: Progress, now: datetime) -> str:
    """Return the page that is being read and, if it can be estimated, the time until all are."""
    done, total = job.pages_done, job.pages_total
    text = f"Reading page {min(done + 1, total)} of {total}"
    if job.started_at is None or done < MIN_PAGES:
        return text
    left_s = (now - job.started_at).total_seconds() / done * (total - done)
    return f"{text}, about {age(max(1.0, left_s))}"
