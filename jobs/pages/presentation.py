"""How a job and its pages are worded for a person; no queries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs import states
from jobs.models import DocumentPage, Job, Page
from tenants.billing.prices import Price, display

_SECONDS_PER = (("d", 86_400), ("h", 3_600), ("min", 60))


def age(seconds: float) -> str:
    """In the one unit that says most: 8 s, 3 min, 2 h, 5 d."""
    whole = max(0, int(seconds))
    for unit, size in _SECONDS_PER:
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"


def money(amount_micros: int, currency: str) -> str:
    return f"{display(amount_micros)} {currency}"


def price_words(price: Price) -> str:
    per = price.meter if price.per == 1 else f"{price.per} {price.meter}s"
    return f"{money(price.amount_micros, price.currency)} per {per}"


def state_words(state: str) -> str:
    return state.replace("_", " ")


@dataclass(frozen=True)
class JobView:
    """A job as a row of the list and as the head of its own page."""

    id: UUID
    name: str
    model: str
    state: str
    state_words: str
    pages_done: int
    pages_failed: int
    pages_total: int
    cost: str
    error_code: str
    error_detail: str
    created_at: datetime
    age: str
    last_seq: int
    retry_of: UUID | None
    may_cancel: bool
    may_retry: bool
    """Whether the job's state allows it; what the person may do is asked elsewhere."""


def job_view(job: Job, now: datetime) -> JobView:
    return JobView(
        id=job.id,
        name=_name(job),
        model=job.model_version.key,
        state=job.state,
        state_words=state_words(job.state),
        pages_done=job.pages_done,
        pages_failed=job.pages_failed,
        pages_total=job.pages_total,
        cost=money(job.cost_micros, job.currency),
        error_code=job.error_code,
        error_detail=job.error_detail,
        created_at=job.created_at,
        age=age((now - job.created_at).total_seconds()),
        last_seq=job.last_seq,
        retry_of=job.retry_of_id,
        may_cancel=not job.terminal,
        may_retry=job.terminal and job.state != states.SUCCEEDED and not _erased(job),
    )


def _name(job: Job) -> str:
    if job.document is None:
        return "Sent inline"
    return f"{job.document.name} (deleted)" if _erased(job) else job.document.name


def _erased(job: Job) -> bool:
    return job.document is not None and job.document.deleted_at is not None


@dataclass(frozen=True)
class PictureView:
    url: str
    width_px: int
    height_px: int


@dataclass(frozen=True)
class PageView:
    number: int
    state: str
    state_words: str
    error_code: str
    error_detail: str
    kind: str
    """What a classifying model took the page for; empty from others."""
    lines: tuple[str, ...]
    blank: bool
    """Read, and nothing was on it."""
    picture: PictureView | None


def page_view(page: Page, job: Job, picture: DocumentPage | None) -> PageView:
    result: dict[str, Any] = page.result or {}
    lines = tuple(str(line["text"]) for line in result.get("lines", ()))
    text = str(result.get("text", ""))
    return PageView(
        number=page.number,
        state=page.state,
        state_words=state_words(page.state),
        error_code=page.error_code,
        error_detail=page.error_detail,
        kind=str(result.get("class", {}).get("label", "")),
        lines=lines or tuple(text.splitlines()),
        blank="text" in result and not text.strip(),
        picture=_picture_view(job, picture) if picture else None,
    )


def _picture_view(job: Job, picture: DocumentPage) -> PictureView:
    return PictureView(
        url=f"/v1/documents/{job.document_id}/pages/{picture.number}/picture",
        width_px=picture.width_px,
        height_px=picture.height_px,
    )
