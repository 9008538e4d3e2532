"""Facts of a job beside its pages: sender, input, model, price, wait and downloads. This module makes no queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.template.defaultfilters import filesizeformat

from jobs.core import states
from jobs.core.models import Document, Job
from jobs.core.priorities import NAMES
from jobs.dashboard.base.wording import due_words, price_words
from jobs.dashboard.reading.selectors import Reading
from jobs.queue import waiting
from jobs.queue.waiting import Standing
from jobs.results.exports.services import MAX_PDF_PAGES
from tenants.billing.dashboard.money import shown_money
from tenants.core.durations import age, duration
from tenants.plans.prices import Price

MAX_PARTS = 10


@dataclass(frozen=True)
class Download:
    words: str
    url: str
    built: bool = False


def downloads(job: Job, number: int, *, has_tables: bool) -> Sequence[Download]:
    address = f"/v1/jobs/{job.id}/result"
    always = [
        Download("Text", f"{address}.txt"),
        Download("Markdown", f"{address}.md"),
        Download("HTML", f"{address}.html"),
        Download("JSON", f"{address}.json"),
        Download("Chunks for retrieval", f"{address}.chunks.jsonl"),
    ]
    tables = [
        Download("Tables as Excel", f"{address}.xlsx", built=True),
        Download("Tables as CSV", f"{address}.csv", built=True),
    ]
    pdf = [Download(title, f"{address}.pdf{part}", built=True) for title, part in _pdf_parts(job, number)]
    return always + (tables if has_tables else []) + pdf + _original(job)


def _original(job: Job) -> list[Download]:
    if job.document is None or job.document.deleted_at is not None:
        return []
    return [Download("Original file", f"/v1/documents/{job.document.id}/content")]


def _pdf_parts(job: Job, number: int) -> list[tuple[str, str]]:
    """Return the parts of the searchable PDF. Of a document with very many parts, return the part of the open page."""
    document = job.document
    if document is None or document.deleted_at is not None or document.kind not in Document.PICTURED:
        return []
    total = job.pages_total
    if total <= MAX_PDF_PAGES:
        return [("Searchable PDF", "")]
    starts = list(range(1, total + 1, MAX_PDF_PAGES))
    if len(starts) > MAX_PARTS:
        starts = [starts[(number - 1) // MAX_PDF_PAGES]]
    ends = [min(start + MAX_PDF_PAGES - 1, total) for start in starts]
    return [
        (f"Searchable PDF, pages {start} to {end}", f"?pages={start}-{end}")
        for start, end in zip(starts, ends, strict=True)
    ]


_WORDS = {
    waiting.TENANT_SUSPENDED: "Waiting: the account is suspended",
    waiting.RETRY_PENDING: "Waiting to try again",
    waiting.NO_WORKER: "Waiting: no worker is running",
    waiting.MODEL_LOADING: "Waiting for a worker to load the model",
    waiting.CONCURRENCY_LIMIT: "Waiting: your account has reached its limit of pages at once",
    waiting.BEHIND_OWN: "Queued behind {pages} of your account",
    waiting.BEHIND_OTHERS: "Queued behind {pages}",
    waiting.STARTING: "Queued",
}


def waiting_words(standing: Standing) -> str:
    if standing.reason_waiting is None:
        return ""
    text = _WORDS[standing.reason_waiting].format(pages=_pages(standing.position))
    if standing.eta_seconds:
        return f"{text}, about {age(standing.eta_seconds)}"
    return text


def _pages(position: int | None) -> str:
    if position is None:
        return "many pages"
    return "1 page" if position == 1 else f"{position:,} pages"


LONGEST_VALUE = 120
_ENDED = {
    states.PARTIALLY_SUCCEEDED: "Partially succeeded after",
    states.FAILED: "Failed after",
    states.CANCELED: "Canceled after",
    states.EXPIRED: "Expired after",
}


@dataclass(frozen=True)
class Parameter:
    name: str
    value: str


@dataclass(frozen=True)
class DocumentFacts:
    name: str
    size: str
    content_type: str
    pages_total: int
    sha256: str
    erased_at: datetime | None


@dataclass(frozen=True)
class Facts:
    priority: str
    due: str
    """The time by which the job must be done, and what happens otherwise. It is empty if there is no such time."""
    price: str
    known: str
    """The number of cache hits among the pages, and the price of a cached page. It is empty if there were none."""
    cost: str
    free: bool
    """The job was sent with a test key, so nothing is charged."""
    sender: str
    request_id: str
    model_title: str
    parameters: Sequence[Parameter]
    document: DocumentFacts | None
    retained_until: datetime | None
    ended: str
    """The way in which the job ended, and after how long. It is empty while the job has not ended."""


def facts(reading: Reading, *, may_see_keys: bool) -> Facts:
    job = reading.job
    return Facts(
        priority=NAMES[job.priority],
        due=due_words(job),
        price=price_words(Price.from_json(job.price)),
        known=_known(job),
        cost=shown_money(job.cost_micros, job.currency),
        free=not job.livemode,
        sender=_sender(job, reading.key_name if may_see_keys else ""),
        request_id=job.request_id,
        model_title=job.model_version.served_model.title,
        parameters=[Parameter(name, str(value)[:LONGEST_VALUE]) for name, value in sorted(job.parameters.items())],
        document=_document(job.document) if job.document else None,
        retained_until=reading.retained_until,
        ended=_ended(job),
    )


def _known(job: Job) -> str:
    if not job.pages_cached:
        return ""
    price = price_words(Price.from_json(job.cached_price or job.price))
    return f"{job.pages_cached} of {job.pages_total}, {price}"


def _ended(job: Job) -> str:
    if job.finished_at is None:
        return ""
    took = duration((job.finished_at - job.created_at).total_seconds())
    return f"{_ENDED.get(job.state, 'Done in')} {took}"


def _sender(job: Job, key_name: str) -> str:
    if job.api_key_id is None:
        return "a member, in the dashboard"
    return f"API key “{key_name}”" if key_name else "an API key"


def _document(document: Document) -> DocumentFacts:
    return DocumentFacts(
        name=document.name,
        size=filesizeformat(document.size_bytes),
        content_type=document.content_type,
        pages_total=document.pages_total,
        sha256=document.sha256,
        erased_at=document.deleted_at,
    )
