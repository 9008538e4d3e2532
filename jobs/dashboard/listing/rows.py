"""The rows of the list: jobs, and how they matched a search. This module makes no queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from jobs.core.models import Job
from jobs.dashboard.base.job_view import JobView, job_view
from jobs.search.selectors import Hit


@dataclass(frozen=True)
class Row:
    job: JobView
    find: Hit | None
    """The page that has the words of a search, unless only the name has them."""


def rows_of(jobs: Sequence[Job], finds: Mapping[UUID, Hit], now: datetime) -> list[Row]:
    return [Row(job_view(job, now), finds.get(job.id)) for job in jobs]
