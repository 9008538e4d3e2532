"""Reads of one job with its document, one page of it, and what is shown around that page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from jobs.attachments.selectors import attachments_of, attachments_of_job, mails_with
from jobs.attachments.services import has_attachments
from jobs.class_sets.selectors import labels_of_job, page_classes
from jobs.core import states
from jobs.core.document_class import DOCUMENT
from jobs.core.models import Correction, Document, DocumentPage, Event, Job, Page
from jobs.core.models.archives import ArchiveEntry
from jobs.corrected_results.selectors import corrections_at
from jobs.dashboard.base.job_view import with_first_words
from jobs.dashboard.reading.timeline import LOADING
from jobs.documents.job_selectors import jobs_and_tombstones, unless_erased
from jobs.documents.reader.contents import REJECTION_CODES
from jobs.results.result_json import result_before
from jobs.retention.due import job_retained_until
from tenants.api_keys.models import ApiKey
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid
from tenants.plans.retention import retention_for

STRIP = 20
"""The number of small pictures beside the page. Pages are divided into such strips; the page's own is shown."""
MAX_EVENTS = 200
MAX_FAILED = 12


@dataclass(frozen=True)
class Reading:
    job: Job
    page: Page
    strip: Sequence[Page]
    """The pages of the strip, without their results."""
    pictures: Mapping[int, DocumentPage]
    """The pictures of the strip by page number. A page that no worker has opened yet has none."""
    events: Sequence[Event]
    failed: Sequence[int]
    key_name: str
    retry: Job | None
    retained_until: datetime | None
    """The time when the job is erased automatically. It is None for never, or while the job has not ended."""
    corrections: Sequence[Correction]
    """The corrections of the page."""
    field_corrections: Sequence[Correction]
    """The corrections of the document's fields."""
    before: Mapping[str, Any] | None
    """The result of the page before, if the first table of the page may go on from there."""
    attachments: Sequence[ArchiveEntry]
    """The attachments of the email that is read, as they were read with it or taken last."""
    attached_to: Job | Document | None
    """The newest job on the email that the document is attached to, or that email."""
    classes: Mapping[int, Mapping[str, Any]]
    """The classes that the job's class set gave to pages, by their numbers."""
    segments: Sequence[Mapping[str, Any]]
    """The documents in the file, if it was split by a class set."""
    labels: Sequence[str]
    """The classes of the job's class set."""
    hopeless: bool
    """The missing pages cannot be read from this document, however often they are tried."""

    @property
    def may_have_tables(self) -> bool:
        """Return whether a page has a table, as far as is known: pages out of the strip are not looked through."""
        seen = any(page.first_table for page in self.strip)  # type: ignore[attr-defined]  # annotated
        return seen or (self.job.pages_total > len(self.strip) and "tables" in (self.page.result or {}))


class BeyondTheEnd(NotFound):
    """The job has pages, but fewer than the number of this page."""

    def __init__(self, number: int, last: int) -> None:
        super().__init__(f"This job has no page {number}. Its last page is {last}.")
        self.last = last


def reading(job_id: str, number: int) -> Reading:
    job = job_with_document(job_id)
    page = job.pages.filter(number=number).first()
    if page is None:
        if number > job.pages_total:
            raise BeyondTheEnd(number, job.pages_total)
        raise NotFound(f"This job has no page {number}. Its last page is {job.pages_total}.")
    first = (number - 1) // STRIP * STRIP + 1
    stretch = (first, first + STRIP - 1)
    corrections = corrections_at(job, DOCUMENT, number)
    classes, segments = page_classes(job)
    return Reading(
        job=job,
        page=page,
        strip=list(_of_strip(job).filter(number__range=stretch).order_by("number")),
        pictures=_pictures(job, stretch),
        events=_events(job, number),
        failed=_failed(job),
        key_name=_key_name(job),
        retry=job.retries.only("id", "state").order_by("-id").first() if job.terminal else None,
        retained_until=job_retained_until(job, retention_for(job.tenant_id)) if job.terminal else None,
        corrections=corrections.get(number, ()),
        field_corrections=[row for row in corrections.get(DOCUMENT, ()) if row.kind == Correction.Kind.FIELD],
        before=result_before(page, job),
        attachments=_attachments(job),
        attached_to=_attached_to(job),
        classes=classes,
        segments=segments or (),
        labels=labels_of_job(job),
        hopeless=_hopeless(job),
    )


def _attachments(job: Job) -> list[ArchiveEntry]:
    if job.document is None or not has_attachments(job.document):
        return []
    return list(attachments_of_job(job.id)) or list(attachments_of(job.document.id))


def _attached_to(job: Job) -> Job | Document | None:
    mail = mails_with(job.document.id).first() if job.document is not None else None
    if mail is None:
        return None
    with_names = Job.objects.filter(document=mail, erased_at=None).select_related("document")
    return with_names.order_by("-id").first() or mail


def _of_strip(job: Job) -> "QuerySet[Page]":
    """Return the pages without their results, but with what their small pictures and the menu of downloads need."""
    shown = {"rotation": "rotation", "review": "needs_review", "first_table": "tables__0__rows"}
    return job.pages.defer("result").annotate(**{name: KT(f"result__{key}") for name, key in shown.items()})


def job_with_document(job_id: str) -> Job:
    wanted = as_uuid(job_id)
    jobs = with_first_words(jobs_and_tombstones().select_related("document"))
    job = jobs.filter(id=wanted).first() if wanted else None
    if job is None:
        raise NotFound("This document does not exist or was deleted.")
    return unless_erased(job)


def _pictures(job: Job, stretch: tuple[int, int]) -> dict[int, DocumentPage]:
    if job.document is None or job.document.deleted_at is not None:
        return {}
    pages = job.document.pages.filter(number__range=stretch)
    return {page.number: page for page in pages.only("document", "number", "width_px", "height_px", "picture")}


def _events(job: Job, number: int) -> list[Event]:
    """Return these events in order: the job's own, the page's, and the first load of all. If there are more than fit,
    the newest are returned, because ends come last.

    Each query reads through the job's events, 8,000 events of 2,000 pages in 2 to 4 ms. An index on the events' data
    would be of no use here: row-level security lets no condition on JSON use an index.
    """
    events = Event.objects.filter(job_id=job.id)
    found = [
        *events.filter(type__startswith="job.").order_by("-seq")[:MAX_EVENTS],
        *events.filter(data__page=number).order_by("-seq")[:MAX_EVENTS],
        *events.filter(type=LOADING).order_by("seq")[:1],
    ]
    return sorted({event.seq: event for event in found}.values(), key=lambda event: event.seq)


def _failed(job: Job) -> list[int]:
    if not job.pages_failed:
        return []
    failed = job.pages.filter(state=states.FAILED).order_by("number")
    return list(failed.values_list("number", flat=True)[:MAX_FAILED])


def _hopeless(job: Job) -> bool:
    if not job.terminal or not job.pages_failed:
        return False
    return not job.pages.exclude(state=states.SUCCEEDED).exclude(error_code__in=REJECTION_CODES).exists()


def _key_name(job: Job) -> str:
    if job.api_key_id is None:
        return ""
    return ApiKey.objects.filter(id=job.api_key_id).values_list("name", flat=True).first() or ""
