"""Shows the sample scan, and reads it as a person's first document, stored and charged like any other."""

import threading
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from jobs.core import states
from jobs.core.models import Document, Job
from jobs.documents.reader import DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.reading import reader
from jobs.documents.selectors import get_document, live_document_with
from jobs.documents.services import store_document
from jobs.documents.uploads import Upload
from jobs.submission.services import JobRequest, check_model, submit_job
from maas.local.demo.sample import draw_page, write_sample
from maas.web.errors.api_errors import body_for
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

NAME = "Sample scan.pdf"
MODEL = "parse"
WORTH_OPENING = (states.QUEUED, states.RUNNING, states.SUCCEEDED)
TIMEOUT_S = 5.0
_DRAWING = threading.Lock()


def read_sample_scan(*, identity: Identity, request_id: str = "") -> Job:
    """Return the job that reads the sample scan, an earlier one if there is any, so that it is paid for once."""
    check_model(identity, MODEL, {})
    document = _stored(identity)
    request = JobRequest(model=MODEL, document_id=document.id, request_id=request_id)
    with unit_of_work(identity):
        # If two clicks arrive at once, the second waits here for the job of the first.
        get_document(document.id, for_update=True)
        return _earlier_job(document) or submit_job(identity=identity, request=request)


def _stored(identity: Identity) -> Document:
    sample = _sample()
    with unit_of_work(identity):
        existing = live_document_with(sample.sha256, livemode=identity.livemode)
    if existing is not None:
        return existing
    with TemporaryDirectory(prefix="sample-") as folder:
        path = Path(folder) / "sample.pdf"
        path.write_bytes(sample.content)
        upload = Upload(path, sample.sha256, len(sample.content), NAME, "application/pdf", inspection=sample.inspection)
        return store_document(identity=identity, upload=upload).document


@dataclass(frozen=True)
class _Sample:
    content: bytes
    sha256: str
    inspection: Inspection


def _sample() -> _Sample:
    """Return the sample. The first click in a process draws and inspects it once, which takes half a second."""
    if not _DRAWING.acquire(timeout=TIMEOUT_S):
        raise ReaderUnavailable("The sample scan is being drawn for somebody else. Try again.")
    try:
        return _drawn()
    finally:
        _DRAWING.release()


@cache
def _drawn() -> _Sample:
    with TemporaryDirectory(prefix="sample-") as folder:
        path = Path(folder) / "sample.pdf"
        write_sample(path)
        content = path.read_bytes()
        return _Sample(content, sha256(content).hexdigest(), reader().inspect(path))


def _earlier_job(document: Document) -> Job | None:
    jobs = Job.objects.filter(document=document, model_version__served_model__name=MODEL, state__in=WORTH_OPENING)
    return jobs.order_by("-id").first()


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


@require_safe
def sample_page(request: HttpRequest) -> HttpResponse:
    """Serve the picture without authentication, because programs copied from the playground have no session."""
    return HttpResponse(_jpeg(), content_type="image/jpeg")


@cache
def _jpeg() -> bytes:
    """Draw the picture once in a process, because drawing takes a while."""
    file = BytesIO()
    draw_page(1).save(file, "JPEG", quality=80)
    return file.getvalue()
