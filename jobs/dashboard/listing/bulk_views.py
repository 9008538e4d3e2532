"""Actions on the jobs selected in the list: JSON for the page's script, and the archive as a download."""

from collections.abc import Callable, Sequence
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from jobs.dashboard.listing.wording import (
    consequence_words,
    deleted_words,
    erased_words,
    erasure_words,
    outcome_words,
)
from jobs.many_jobs.services import (
    Outcome,
    cancel_jobs,
    consequences_of_deleting,
    consequences_of_erasing,
    delete_documents_of,
    erase_jobs,
    retry_jobs,
)
from jobs.results.exports.archive import archive_name, archive_of
from tenants.core.errors import InvalidRequest, NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity, Scope

View = Callable[[HttpRequest, Identity], HttpResponseBase]


def _refusing_in_json(view: View) -> View:
    """Turn refusals into JSON responses, whose detail the page's script shows."""

    @wraps(view)
    def answered(request: HttpRequest, identity: Identity) -> HttpResponseBase:
        try:
            return view(request, identity)
        except NotFound as missing:
            raise Http404(missing.detail) from missing
        except InvalidRequest as refusal:
            return JsonResponse({"code": refusal.code, "detail": refusal.detail}, status=400)

    return answered


def _answer(outcomes: Sequence[Outcome]) -> HttpResponse:
    each = [{"job": outcome.job_id, "outcome": outcome.code} for outcome in outcomes]
    return JsonResponse({"words": outcome_words(outcomes), "outcomes": each})


def _acting(act: Callable[..., Sequence[Outcome]], *scopes: Scope) -> Callable[..., HttpResponseBase]:
    @require_POST
    @members_only
    @_refusing_in_json
    def view(request: HttpRequest, identity: Identity) -> HttpResponseBase:
        for scope in scopes:
            identity.require(scope)
        return _answer(act(identity=identity, job_ids=request.POST.getlist("job")))

    return view


bulk_cancel = _acting(cancel_jobs, "jobs:write")
bulk_delete = _acting(delete_documents_of, "documents:write")
bulk_erase = _acting(erase_jobs, "documents:write", "jobs:write")


@require_POST
@members_only
@_refusing_in_json
def bulk_retry(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    identity.require("jobs:write")
    request_id = request.META.get("maas.request_id", "")
    return _answer(retry_jobs(identity=identity, job_ids=request.POST.getlist("job"), request_id=request_id))


@require_GET
@members_only
@_refusing_in_json
def bulk_consequences(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    identity.require("documents:write")
    found = consequences_of_deleting(identity=identity, job_ids=request.GET.getlist("job"))
    texts = {"what": deleted_words(found), "words": consequence_words(found)}
    return JsonResponse({"verb": "Delete", "documents": len(found.names), **texts})


@require_GET
@members_only
@_refusing_in_json
def bulk_erasure(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    identity.require("documents:write")
    found = consequences_of_erasing(identity=identity, job_ids=request.GET.getlist("job"))
    return JsonResponse(
        {
            "verb": "Delete",
            "documents": found.jobs,
            "what": erased_words(found),
            "words": erasure_words(found),
        }
    )


@require_GET
@members_only
@_refusing_in_json
def job_archive(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    archive = archive_of(identity, request.GET.getlist("job"), request.GET.get("formats"))
    answer = StreamingHttpResponse(archive, content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{archive_name(timezone.now())}"'
    return answer
