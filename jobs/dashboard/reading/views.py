"""The dashboard's page of one job, open at one of its pages, and its actions: cancel, retry, read again, erase."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from jobs.class_sets.selectors import serving_key
from jobs.core.errors import JobErased
from jobs.core.models import Job, Page
from jobs.dashboard.base.job_view import job_view
from jobs.dashboard.reading.job_page import shown
from jobs.dashboard.reading.selectors import job_with_document
from jobs.retention.documents import erase_document_and_jobs
from jobs.retention.erasing import erase_job
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.core.ids import as_uuid
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity


@members_only
def job_page(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    identity.require("jobs:read")
    return shown(request, identity, job_id)


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
        return shown(request, identity, job_id, refusal)
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
        return shown(request, identity, job_id, refusal)
    return redirect("job-page", job.id)


@members_only
@require_POST
def read_again(request: HttpRequest, identity: Identity, job_id: str) -> HttpResponse:
    """Read the document of a job again, with a model that may be another, and with the newest version of its class set.

    A job without a class set is read with the default one, which there may not have been before.
    """
    identity.require("jobs:write")
    try:
        with unit_of_work(identity):
            earlier = job_with_document(job_id)
            class_set = serving_key(earlier.class_set, livemode=earlier.livemode)
        if earlier.document_id is None:
            raise Http404("This job has no document.")
        job = submit_job(
            identity=identity,
            request=JobRequest(
                model=request.POST.get("model", ""),
                document_id=earlier.document_id,
                request_id=request.META.get("maas.request_id", ""),
                attachments=None,
                class_set=class_set or None,
            ),
        )
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refusal:
        return shown(request, identity, job_id, refusal)
    return redirect("job-page", job.id)


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
