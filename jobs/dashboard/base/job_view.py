"""A job as a row of the list and as the head of its own page, and what a person may do with jobs."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, Func, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Left

from jobs.core import states
from jobs.core.models import Job
from jobs.dashboard.base.wording import class_words, state_words
from tenants.api_keys.models import ApiKey
from tenants.billing.dashboard.money import shown_money
from tenants.core.durations import age
from tenants.identity.identity import Identity

LONGEST = 80


def with_first_words(jobs: "QuerySet[Job]") -> "QuerySet[Job]":
    """Read the beginning of each input. The inputs themselves are not read, because they may be megabytes each."""
    first_tensor = KeyTransform("0", KeyTransform("tensors", "input"))
    return jobs.defer("input").annotate(
        first_text=Left(KeyTextTransform("text", F("input")), LONGEST),
        texts_count=_length("texts"),
        tensors_count=_length("tensors"),
        tensor_name=Left(KeyTextTransform("name", first_tensor), LONGEST),
        tensor_shape=Left(KeyTextTransform("shape", first_tensor), LONGEST),
    )


def _length(key: str) -> Func:
    return Func(KeyTransform(key, F("input")), function="jsonb_array_length", output_field=IntegerField())


def with_key_names(jobs: "QuerySet[Job]") -> "QuerySet[Job]":
    """Read the name of the API key that each job was sent with."""
    keys = ApiKey.objects.filter(id=OuterRef("api_key_id")).values("name")[:1]
    return jobs.annotate(key_name=Subquery(keys))


def first_words(job: Job) -> str:
    read = vars(job)
    if text := read.get("first_text"):
        beginning = " ".join(text.split())
        return f"“{beginning}{' …' if len(text) == LONGEST else ''}”" if beginning else "Text without a file"
    if count := read.get("texts_count"):
        return f"{count:,} {'text' if count == 1 else 'texts'}"
    if count := read.get("tensors_count"):
        more = f" and {count - 1:,} more" if count > 1 else ""
        shape = (read.get("tensor_shape") or "").replace(" ", "")
        return f"Tensors {read.get('tensor_name')} {shape}{more}"
    return "Input without a file"


def may_write(identity: Identity) -> bool:
    return {"documents:write", "jobs:write"} <= identity.scopes


@dataclass(frozen=True)
class JobView:
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
    to_review: int
    """The number of pages that a person should check."""
    kind: str
    """The class of the document. It is empty while the job runs, and if the model names none."""
    sender: str
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


def job_view(job: Job, now: datetime, *, may_see_keys: bool = False) -> JobView:
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
        to_review=job.pages_to_review,
        kind=class_words(job.class_label),
        sender=_sender(job, may_see_keys),
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


def _sender(job: Job, may_see_keys: bool) -> str:
    if job.api_key_id is None:
        return "Dashboard"
    return (vars(job).get("key_name") if may_see_keys else None) or "API key"


def _name(job: Job) -> str:
    if job.document is None:
        return first_words(job)
    return f"{job.document.name} (deleted)" if _erased(job) else job.document.name


def _erased(job: Job) -> bool:
    return job.document is not None and job.document.deleted_at is not None
