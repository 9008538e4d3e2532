"""`/v1/jobs/{id}/result.txt` and the like: a job's result as a file to keep; and many jobs as one ZIP."""

from typing import Any

from django.http import FileResponse, StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from jobs.api.serializers.chunks import ChunkSerializer
from jobs.api.serializers.results import ResultSerializer
from jobs.results.exports import services
from jobs.results.exports.archive import MAX_JOBS, archive_name, archive_of
from jobs.results.exports.archive_files import DEFAULT_FORMATS, FORMATS, ORIGINAL
from jobs.results.exports.services import Format, export_job
from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS
from tenants.core.errors import InvalidRequest

PAGES = OpenApiParameter(
    "pages",
    {"type": "string", "pattern": "^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$"},
    description="A page, or a range such as `1-200`. Default: all pages.",
)


def exported(request: Request, job_id: str, format_: Format) -> FileResponse:
    identity = caller(request, "jobs:read")
    if format_ is services.PDF:
        identity.require("documents:read")
    pages = request.query_params.get("pages")
    made = export_job(whose=identity, job_id=job_id, format_=format_, pages=pages)
    response = FileResponse(made.file, as_attachment=True, filename=made.name, content_type=made.content_type)
    response["Cache-Control"] = "private, no-store"
    response["Content-Security-Policy"] = f"{format_.policy}; sandbox"
    return response


def _export(format_: Format, operation_id: str, summary: str, content: dict[Any, object]) -> type[APIView]:
    class Export(APIView):
        content_negotiation_class = AsStored

        @extend_schema(
            operation_id=operation_id, summary=summary, parameters=[PAGES], responses={**content, **REFUSALS}
        )
        def get(self, request: Request, job_id: str) -> FileResponse:
            """Return the file. The `Accept` header of the request is ignored."""
            return exported(request, job_id, format_)

    return Export


ResultText = _export(services.TEXT, "export_text", "Export the result of a job as text", {(200, "text/plain"): str})
ResultMarkdown = _export(
    services.MARKDOWN,
    "export_markdown",
    "Export the result of a job as Markdown",
    {(200, "text/markdown"): str},
)
ResultHtml = _export(services.HTML, "export_html", "Export the result of a job as HTML", {(200, "text/html"): str})
ResultJson = _export(services.JSON, "export_json", "Export the result of a job as JSON", {200: ResultSerializer})
ResultChunks = _export(
    services.CHUNKS,
    "export_chunks",
    "Export the text of a job as chunks for retrieval",
    {(200, "application/jsonl"): ChunkSerializer},
)
ResultPdf = _export(
    services.PDF,
    "export_pdf",
    "Export the pages of a job as a searchable PDF",
    {(200, "application/pdf"): bytes},
)


ResultCsv = _export(services.CSV, "export_csv", "Export the tables of a job as CSV", {(200, "text/csv"): str})
ResultXlsx = _export(
    services.XLSX,
    "export_xlsx",
    "Export the tables of a job as an Excel workbook",
    {(200, services.XLSX.content_type): bytes},
)


class ResultsZip(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="export_jobs",
        summary="Export many jobs as one ZIP file",
        parameters=[
            OpenApiParameter(
                "jobs", str, required=True, description=f"Ids of 1 to {MAX_JOBS} jobs, separated by commas."
            ),
            OpenApiParameter(
                "formats",
                str,
                default=",".join(DEFAULT_FORMATS),
                description=f"What the folder of each job contains, separated by commas: {', '.join(FORMATS)}. "
                f"`{ORIGINAL}` needs the scope `documents:read` too.",
            ),
        ],
        responses={(200, "application/zip"): bytes, **REFUSALS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Return the file, which is made while it is sent. The `Accept` header of the request is ignored."""
        identity = caller(request, "jobs:read")
        only(request, "jobs", "formats")
        jobs = request.query_params.get("jobs")
        if not jobs:
            raise InvalidRequest("Name the jobs to export: ?jobs=ID,ID.")
        archive = archive_of(identity, jobs.split(","), request.query_params.get("formats"))
        response = StreamingHttpResponse(archive, content_type="application/zip")
        response["Content-Disposition"] = f'attachment; filename="{archive_name(timezone.now())}"'
        response["Cache-Control"] = "private, no-store"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response
