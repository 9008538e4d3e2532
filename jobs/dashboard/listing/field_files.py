"""The fields of the listed or selected documents as one file to download."""

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from jobs.api.field_tables import chosen_jobs, file_response
from jobs.core.models import Job
from jobs.dashboard.listing.query import ListQuery
from jobs.dashboard.listing.selectors import matching_jobs
from jobs.results.exports.export_slots import ExportTooLarge
from jobs.results.exports.field_table import field_table
from jobs.results.exports.field_tables import FILES
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity


@require_safe
@members_only
def field_file(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    """Return the file of the jobs named by `job`, or else of all that the list's query finds."""
    identity.require("jobs:read")
    suffix = request.GET.get("format", "")
    if suffix not in FILES:
        raise Http404("There is no such format. Use csv or xlsx.")
    chosen = request.GET.getlist("job")
    query = ListQuery.parse(request.GET.dict())
    try:
        if query.faults:
            raise InvalidRequest(query.faults[0].message)
        with unit_of_work(identity):
            jobs = chosen_jobs(Job.objects.filter(erased_at=None), chosen) if chosen else matching_jobs(query)
            table = field_table(identity, jobs)
        return file_response(FILES[suffix](table))
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except (ExportTooLarge, InvalidRequest) as refusal:
        return render(request, "jobs/listing/no_file.html", {"refusal": refusal}, status=400)
