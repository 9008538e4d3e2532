"""Erases a job from its page in the dashboard. The page first says what is erased."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from jobs.core.errors import JobErased
from jobs.core.models import Job
from jobs.dashboard.base.job_view import job_view
from jobs.dashboard.reading.selectors import job_with_document
from jobs.retention.documents import erase_document_and_jobs
from jobs.retention.erasing import erase_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

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
