"""A job as a row of the list and as the head of its own page. This module makes no queries."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from jobs.core import states
from jobs.core.models import Job
from jobs.dashboard.base.input_preview import first_words
from jobs.dashboard.base.wording import state_words
from tenants.billing.dashboard.money import shown_money
from tenants.core.durations import age


@dataclass(frozen=True)
class JobView:
    """A job as a row of the list and as the head of its own page."""

    id: UUID
    name: str
    model: str
    state: str
    state_words: str
    pages_done: int
    pages_succeeded: int
    pages_failed: int
    pages_cached: int
    pages_total: int
    cost: str
    error_code: str
    error_detail: str
    created_at: datetime
    age: str
    last_seq: int
    retry_of: UUID | None
    of_tests: bool
    finished: bool
    may_cancel: bool
    may_retry: bool
    """The job's state allows a retry. The person's permission is checked elsewhere."""

    @property
    def pages_missing(self) -> int:
        return self.pages_total - self.pages_succeeded


def job_view(job: Job, now: datetime) -> JobView:
    return JobView(
        id=job.id,
        name=_name(job),
        model=job.model_version.key,
        of_tests=not job.livemode,
        state=job.state,
        state_words=state_words(job.state),
        pages_done=job.pages_done,
        pages_succeeded=job.pages_succeeded,
        pages_failed=job.pages_failed,
        pages_cached=job.pages_cached,
        pages_total=job.pages_total,
        cost=shown_money(job.cost_micros, job.currency),
        error_code=job.error_code,
        error_detail=job.error_detail,
        created_at=job.created_at,
        age=age((now - job.created_at).total_seconds()),
        last_seq=job.last_seq,
        retry_of=job.retry_of_id,
        finished=job.terminal,
        may_cancel=not job.terminal,
        may_retry=job.terminal and job.state != states.SUCCEEDED and not _erased(job),
    )


def _name(job: Job) -> str:
    if job.document is None:
        return first_words(job)
    return f"{job.document.name} (deleted)" if _erased(job) else job.document.name


def _erased(job: Job) -> bool:
    return job.document is not None and job.document.deleted_at is not None
