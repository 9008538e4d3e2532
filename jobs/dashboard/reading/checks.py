"""The list of the places to check of a document, for the button that leads from one to the next."""

from dataclasses import asdict

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from jobs.core import states
from jobs.core.errors import JobErased
from jobs.core.models import Job
from jobs.corrected_results.selectors import corrected_cells, corrected_lines, corrections_of
from jobs.dashboard.reading.doubts import Doubt, doubtful_fields, doubts_of
from jobs.documents.job_selectors import get_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

MAX_PAGES = 300
"""The most pages that are looked through. Their results may be a hundred kilobytes each."""
MAX_PLACES = 500
STRETCH = 25
"""The number of pages that are read at a time."""


@require_safe
@members_only
def checks(request: HttpRequest, identity: Identity, job_id: str) -> JsonResponse:
    identity.require("jobs:read")
    try:
        with unit_of_work(identity):
            job = get_job(job_id)
            found = places_to_check(job)
    except (NotFound, JobErased) as missing:
        raise Http404(missing.detail) from missing
    places = [asdict(doubt) for doubt in found[:MAX_PLACES]]
    more = len(found) > MAX_PLACES or job.pages_total > MAX_PAGES
    response = JsonResponse({"places": places, "more": more})
    response["Cache-Control"] = "private, no-store"
    return response


def places_to_check(job: Job) -> list[Doubt]:
    """Return the places in the order of pages, of the first MAX_PAGES pages. Fields come before others of a page."""
    found = doubtful_fields(job.fields)
    for first in range(1, min(job.pages_total, MAX_PAGES) + 1, STRETCH):
        pages = job.pages.filter(number__range=(first, first + STRETCH - 1), state=states.SUCCEEDED)
        corrections = corrections_of(job, first, first + STRETCH - 1)
        for number, result in pages.order_by("number").values_list("number", "result"):
            own = corrections.get(number, ())
            found += doubts_of(number, result or {}, corrected_lines(own), corrected_cells(own))
        if len(found) > MAX_PLACES:
            break
    return sorted(found, key=lambda doubt: doubt.page)
