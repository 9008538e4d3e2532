"""The view behind the button with which a person who has just signed in reads the sample scan."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from maas.local.demo.first_job import read_sample_scan
from maas.web.errors.api_errors import body_for
from tenants.core.errors import DomainError
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity


@require_POST
@members_only
def read_sample(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    identity.require("documents:write")
    identity.require("jobs:write")
    try:
        job = read_sample_scan(identity=identity, request_id=request.META.get("maas.request_id", ""))
    except (DomainError, DocumentRejected, ReaderUnavailable) as refusal:
        problem = body_for(refusal) or {}
        return render(request, "error.html", problem, status=int(str(problem["status"])))
    return redirect("job-page", job.id)
