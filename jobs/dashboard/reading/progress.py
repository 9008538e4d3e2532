"""Says how far a running job is, and how long the rest may take. This module is pure."""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tenants.core.durations import age


class Progress(Protocol):
    @property
    def pages_total(self) -> int: ...
    @property
    def pages_done(self) -> int: ...
    @property
    def started_at(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of the workers. A page takes 0 s if it is unknown, because no page of the model was read lately."""

    page_s: float
    slots: int


def progress_words(job: Progress, pace: Pace, now: datetime) -> str:
    """Return the page that is being read and, if it can be estimated, the time until all are.

    The estimate is from the job's own pages, and before the first has ended, from the pace of the workers.
    """
    done, total = job.pages_done, job.pages_total
    text = f"Reading page {min(done + 1, total)} of {total}"
    if job.started_at is None:
        return text
    ran_s = (now - job.started_at).total_seconds()
    if done:
        left_s = ran_s / done * (total - done)
    elif pace.page_s > 0:
        left_s = pace.page_s * math.ceil(total / max(1, pace.slots)) - ran_s
    else:
        return f"{text}, for {age(ran_s)} so far" if ran_s >= 1 else text
    return f"{text}, about {age(max(1.0, left_s))}"
