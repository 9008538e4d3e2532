"""`/v1/jobs/fields.csv` and `/v1/jobs/fields.xlsx`: the fields of many documents as one file."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from jobs.api.job_filters import FILTERS, field_parameters, filtered_jobs
from jobs.api.schema import JOB_FILTERS
from jobs.core.models import Job
from jobs.documents.job_selectors import jobs_with_models
from jobs.results.exports.field_table import FieldTable, field_table
from jobs.results.exports.field_tables import DOCUMENTS, LINE_ITEMS, csv_file, workbook_file
from jobs.results.exports.services import XLSX, ExportedFile
from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.core.ids import as_uuid

MAX_CHOSEN = 1_000
JOBS = OpenApiParameter(
    "jobs",
    str,
    description=f"Ids of 1 to {MAX_CHOSEN:,} jobs, separated by commas. Default: all that match the filters.",
)
ROWS = OpenApiParameter(
    "rows",
    str,
    enum=[DOCUMENTS, LINE_ITEMS],
    default=DOCUMENTS,
    description="`documents`: a row for each document. `items`: a row for each line item.",
)
PARAMETERS = [JOBS, *(parameter for parameter in JOB_FILTERS if parameter.name != "include")]


def chosen_jobs(jobs: "QuerySet[Job]", chosen: Sequence[str]) -> "QuerySet[Job]":
    """Return those of the jobs that were chosen by id. Raises NotFound for an id that is none of a job."""
    if not 1 <= len(set(chosen)) <= MAX_CHOSEN:
        raise InvalidRequest(f"You chose {len(set(chosen)):,} jobs. Choose 1 to {MAX_CHOSEN:,}.")
    ids = {given: as_uuid(given) for given in chosen}
    known = set(jobs_with_models().filter(id__in=filter(None, ids.values())).values_list("id", flat=True))
    missing = next((given for given, job_id in ids.items() if job_id not in known), None)
    if missing is not None:
        raise NotFound(f"There is no job {missing[:60]!r}.")
    return jobs.filter(id__in=known)


def file_response(made: ExportedFile) -> FileResponse:
    response = FileResponse(made.file, as_attachment=True, filename=made.name, content_type=made.content_type)
    response["Cache-Control"] = "private, no-store"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _ids(given: str) -> list[str]:
    ids = given.split(",")
    if not all(ids):
        wrong = f"jobs={given[:60]!r} has an empty id" if given else "`jobs` is empty"
        raise InvalidRequest(f"{wrong}. Name 1 to {MAX_CHOSEN:,} jobs, separated by commas, or leave it out for all.")
    return ids


def _table(request: Request) -> FieldTable:
    params = request.query_params
    identity = caller(request, "jobs:read")
    with unit_of_work(identity):
        jobs = filtered_jobs(params)
        if "jobs" in params:
            jobs = chosen_jobs(jobs, _ids(params["jobs"]))
        return field_table(identity, jobs)


def _view(write: Callable[[Request], ExportedFile], operation_id: str, form: str, **schema: Any) -> type[APIView]:
    class FieldsFile(APIView):
        content_negotiation_class = AsStored

        @extend_schema(operation_id=operation_id, summary=f"Export the fields of many documents as {form}", **schema)
        def get(self, request: Request) -> FileResponse:
            """Return a row for each document: name, class, the normalized value of each field, pages, warnings and a
            link, oldest first. The `Accept` header of the request is ignored.
            """
            return file_response(write(request))

    return FieldsFile


def _csv(request: Request) -> ExportedFile:
    only(request, "jobs", "rows", *FILTERS, *field_parameters(request.query_params))
    rows = request.query_params.get("rows", DOCUMENTS)
    if rows not in (DOCUMENTS, LINE_ITEMS):
        raise InvalidRequest(f"Unknown value rows={rows[:40]!r}. Use {DOCUMENTS} or {LINE_ITEMS}.")
    return csv_file(_table(request), rows)


def _workbook(request: Request) -> ExportedFile:
    only(request, "jobs", *FILTERS, *field_parameters(request.query_params))
    return workbook_file(_table(request))


FieldsCsv = _view(
    _csv, "export_fields_csv", "CSV", parameters=[ROWS, *PARAMETERS], responses={(200, "text/csv"): str, **REFUSALS}
)
FieldsXlsx = _view(
    _workbook,
    "export_fields_xlsx",
    "an Excel workbook",
    parameters=PARAMETERS,
    responses={(200, XLSX.content_type): bytes, **REFUSALS},
)
