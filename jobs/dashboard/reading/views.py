"""The dashboard's page of one job, open at one of its pages, and the actions there: cancel, retry and erase."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from jobs.core import states
from jobs.core.errors import JobErased
from jobs.core.models import Job, Page
from jobs.dashboard.base.job_view import job_view, may_write
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.classes.selectors import listed_sets
from jobs.dashboard.listing.query import ListQuery
from jobs.dashboard.reading.attachments import attachment_views, mail_view
from jobs.dashboard.reading.correcting import correction_views
from jobs.dashboard.reading.facts import downloads, facts, waiting_words
from jobs.dashboard.reading.fields import fields_view
from jobs.dashboard.reading.lines import SURE
from jobs.dashboard.reading.opinions import choices
from jobs.dashboard.reading.own_classes import own_class_view
from jobs.dashboard.reading.page_view import json_view, page_view
from jobs.dashboard.reading.progress import Pace, progress_words
from jobs.dashboard.reading.readers import reader_views
from jobs.dashboard.reading.selectors import BeyondTheEnd, Reading, job_with_document, reading
from jobs.dashboard.reading.strip import thumbnails, ways
from jobs.dashboard.reading.tabs import TABS, tab_of, tabs_of
from jobs.dashboard.reading.timeline import is_loading, job_steps, page_steps, shares, taken_from
from jobs.own_fields.names import known_titles
from jobs.queue.queue_positions import standing_of
from jobs.queue.slots import fleet_of
from jobs.retention.documents import erase_document_and_jobs
from jobs.retention.erasing import erase_job
from jobs.search.queries import parsed
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from tenants.billing.dashboard.money import shown_money
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.core.ids import as_uuid
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity


@dataclass(frozen=True)
class RetryView:
    offered: bool
    """A retry is offered. It is not offered while one is under way: a second request would return that same retry."""
    first_choice: bool
    """A retry is what the person most likely wants, so its button stands out."""
    hopeless: bool
    job: UUID | None
    state: str
    state_words: str


def retry_view(reading: Reading, may_retry: bool) -> RetryView:
    again = reading.retry
    state = again.state if again else ""
    return RetryView(
        offered=may_retry and state not in states.UNFINISHED,
        first_choice=not reading.hopeless and again is None,
        hopeless=reading.hopeless,
        job=again.id if again else None,
        state=state,
        state_words=state_words(state),
    )


@dataclass(frozen=True)
class TombstoneView:
    model: str
    pages_total: int
    state_words: str
    cost: str


def tombstone_view(tombstone: Mapping[str, Any]) -> TombstoneView:
    """Return the view of an erased job. `tombstone` is the extra data of JobErased."""
    job = tombstone["job"]
    return TombstoneView(
        model=job["model"],
        pages_total=job["pages_total"],
        state_words=state_words(job["state"]),
        cost=shown_money(job["cost_micros"], job["currency"]),
    )


@members_only
def job_page(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    identity.require("jobs:read")
    return _shown(request, identity, job_id)


@require_safe
@members_only
def job_of_page(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Redirect to the job of a page. The URL has only the page's id, because usage records name only the page."""
    identity.require("jobs:read")
    with unit_of_work(identity):
        page_id = as_uuid(request.GET.get("id", ""))
        job_and_number = Page.objects.filter(id=page_id).values_list("job_id", "number").first() if page_id else None
    if job_and_number is None:
        raise Http404("This page does not exist or was deleted.")
    job_id, number = job_and_number
    return redirect(f"{reverse('job-page', args=[job_id])}?page={number}")


@members_only
@require_POST
def cancel(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    identity.require("jobs:write")
    try:
        cancel_job(identity=identity, job_id=job_id)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refusal:
        return _shown(request, identity, job_id, refusal)
    return redirect("job-page", job_id)


@members_only
@require_POST
def retry(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    identity.require("jobs:write")
    try:
        job = retry_job(identity=identity, job_id=job_id, request_id=request.META.get("maas.request_id", ""))
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refusal:
        return _shown(request, identity, job_id, refusal)
    return redirect("job-page", job.id)


@members_only
@require_POST
def read_again(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    """Read the document of a job again, with a model that may be another."""
    identity.require("jobs:write")
    try:
        with unit_of_work(identity):
            document_id = job_with_document(job_id).document_id
        if document_id is None:
            raise Http404("This job has no document.")
        model = request.POST.get("model", "")
        job = submit_job(
            identity=identity,
            request=JobRequest(
                model=model,
                document_id=document_id,
                request_id=request.META.get("maas.request_id", ""),
                attachments=None,
            ),
        )
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refusal:
        return _shown(request, identity, job_id, refusal)
    return redirect("job-page", job.id)


def _shown(request: HttpRequest, identity: Identity, job_id: str, refusal: DomainError | None = None) -> HttpResponse:
    number = _page_number(request.GET.get("page", "1"))
    sought = ListQuery.parse({"q": request.GET.get("q", "")}).words
    wanted = tab_of(request.GET.get("tab", ""))
    searched = {"q": sought} if sought else {}
    kept = f"&{urlencode({**wanted.query, **searched})}" if wanted.query or searched else ""
    try:
        with unit_of_work(identity):
            found = reading(job_id, number)
            readers = reader_views(identity, found.job)
            class_sets = listed_sets(identity)
            attachments = attachment_views(found)
            titles = known_titles()
    except BeyondTheEnd as beyond:
        return redirect(f"{reverse('job-page', args=[job_id])}?page={beyond.last}{kept}")
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except JobErased as gone:
        context = {"detail": gone.detail, "job": tombstone_view(gone.extra)}
        return render(request, "jobs/reading/erased.html", context, status=410)
    job = found.job
    page = page_view(found, parsed(sought))
    fields = fields_view(job.fields, number, job.id, titles)
    may_define = bool(page.picture and page.lines) and may_write(identity)
    tabs = tabs_of(has_tables=bool(page.tables), has_fields=fields is not None or may_define)
    # A page without tables shows its text, and the next page with tables shows these again.
    tab = wanted if wanted in tabs else TABS[0]
    where_time_went = shares(found.events, number)
    shown = job_view(job, timezone.now())
    context = {
        "job": shown,
        "page": page,
        "sought": sought,
        "keeping": kept,
        "searching": f"&{urlencode(searched)}" if searched else "",
        "tab": tab,
        "tabs": tabs,
        "fields": fields,
        "may_define": may_define,
        "field_corrections": correction_views(job, found.field_corrections),
        "kinds": choices(page.kind),
        "own_class": own_class_view(found),
        "json": json_view(found) if tab.name == "json" else None,
        "sure_percent": round(100 * SURE),
        "loading": page.state == "running" and is_loading(found.events, number),
        "thumbnails": thumbnails(found),
        "ways": ways(number, job.pages_total),
        "failed": found.failed,
        "page_says_why": job.pages_total == 1 and bool(page.error_detail),
        "retry": retry_view(found, shown.may_retry),
        "more_failed": job.pages_failed - len(found.failed),
        "job_steps": job_steps(found.events),
        "page_steps": page_steps(found.events, number),
        "taken_from": taken_from(found.events, number),
        "shares": where_time_went,
        "longest_ms": max((share.ms for share in where_time_went), default=0),
        "readers": readers,
        "attachments": attachments,
        "mail": mail_view(found),
        "progress": progress_words(job, _pace(job), timezone.now()),
        "waiting": waiting_words(standing_of(job)),
        "facts": facts(found, may_see_keys="keys:read" in identity.scopes),
        "downloads": downloads(job, number, has_tables=found.may_have_tables),
        "may_write": may_write(identity),
        "class_sets": class_sets,
        "refusal": refusal,
    }
    return render(request, "jobs/reading/job_page.html", context, status=409 if refusal else 200)


def _pace(job: Job) -> Pace:
    fleet = fleet_of(job.model_version.key)
    return Pace(fleet.service_s, fleet.slots)


def _page_number(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 9:
        raise Http404(f"{text[:20]!r} is not a page number.")
    return int(text)


WITH_DOCUMENT = "document"


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def erase(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    identity.require("jobs:write")
    refusal = None
    try:
        with unit_of_work(identity):
            job = job_with_document(job_id)
            others = _others(job)
        if request.method == "POST":
            _erase(identity, job, with_document=request.POST.get("also") == WITH_DOCUMENT)
            # The message leaves out the job's name, which would stay in the session until the message is shown.
            messages.success(request, _("Job deleted permanently."))
            return redirect("job-list")
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except JobErased:
        return redirect("job-page", job_id)
    except DomainError as refused:
        refusal = refused
    document = job.document if job.document and job.document.deleted_at is None else None
    shown = {"job": job_view(job, timezone.now()), "document": document, "others": others, "refusal": refusal}
    return render(request, "jobs/reading/erase.html", shown, status=409 if refusal else 200)


def _others(job: Job) -> int:
    """Return the number of other jobs on the same document, which are erased with it."""
    if job.document_id is None:
        return 0
    return Job.objects.filter(document_id=job.document_id, erased_at=None).exclude(id=job.id).count()


def _erase(identity: Identity, job: Job, *, with_document: bool) -> None:
    if with_document and job.document_id is not None:
        identity.require("documents:write")
        erase_document_and_jobs(identity=identity, document_id=job.document_id)
    else:
        erase_job(identity=identity, job_id=job.id)
