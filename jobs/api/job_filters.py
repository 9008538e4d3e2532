"""The filters of lists of jobs, as query parameters have them."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.exceptions import ParseError

from inference.registry.selectors import versions_named
from jobs.api.requests import label_of
from jobs.core import states
from jobs.core.models import Job
from jobs.documents.job_selectors import jobs_and_tombstones, jobs_with_models
from jobs.fields.filtering import with_fields
from jobs.fields.filters import PREFIX, FieldFilter, NotAFieldFilter, field_filters
from jobs.search.queries import parsed
from jobs.search.selectors import search_jobs
from tenants.core.errors import InvalidRequest
from tenants.core.ids import as_uuid
from tenants.core.messages import one_of

FILTERS = ("state", "model", "document", "needs_review", "class", "q")
"""The filters beside those by fields."""


def field_parameters(params: Mapping[str, str]) -> list[str]:
    """Return the names of the parameters that are filters by fields."""
    return [name for name in params if name.startswith(PREFIX)]


def field_filters_of(params: Mapping[str, str]) -> list[FieldFilter]:
    try:
        return field_filters(params)
    except NotAFieldFilter as error:
        raise InvalidRequest(str(error)) from None


def filtered_jobs(params: Mapping[str, str]) -> "QuerySet[Job]":
    """Return the jobs that match all filters, newest first."""
    jobs = jobs_and_tombstones() if wants(params.get("include"), "erased") else jobs_with_models()
    if "state" in params:
        wanted = params["state"].split(",")
        unknown = [state for state in wanted if state not in states.JOB_STATES]
        if unknown:
            raise InvalidRequest(f"Unknown state {unknown[0][:40]!r}. Use {one_of(states.JOB_STATES)}.")
        jobs = jobs.filter(state__in=wanted)
    if "model" in params:
        jobs = jobs.filter(model_version__in=versions_named(params["model"]))
    if "document" in params:
        jobs = jobs.filter(document_id=as_uuid(params["document"]) or UUID(int=0))
    if "q" in params:
        jobs = jobs.filter(id__in=_found(params["q"]))
    return with_fields(_by_reading(jobs, params), field_filters_of(params))


def _by_reading(jobs: "QuerySet[Job]", params: Mapping[str, str]) -> "QuerySet[Job]":
    if "needs_review" in params:
        wanted = params["needs_review"]
        if wanted not in ("true", "false"):
            raise InvalidRequest(f"Unknown value needs_review={wanted[:40]!r}. Use true or false.")
        jobs = jobs.filter(pages_to_review__gt=0) if wanted == "true" else jobs.filter(pages_to_review=0)
    label = label_of(params)
    if label is not None:
        jobs = jobs.filter(class_label=label)
    return jobs


def _found(search: str) -> list[UUID]:
    if not parsed(search).wanted:
        raise InvalidRequest(f"q={search[:60]!r} contains no word to search for.")
    return [hit.job_id for hit in search_jobs(search)]


def wants(include: str | None, option: str) -> bool:
    if include not in (None, option):
        raise ParseError(f"Unknown value include={include[:40]!r}. Use include={option}.")
    return include is not None
