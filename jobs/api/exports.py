"""`/v1/jobs/{id}/result.txt`, `.md`, `.json` and `.pdf`: a job's result as a file to keep."""

from typing import Any

from django.http import FileResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from jobs.api.serializers import ResultSerializer
from jobs.results.exports import services
from jobs.results.exports.services import Format, export_job
from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.schema import REFUSALS

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
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
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
ResultJson = _export(services.JSON, "export_json", "Export the result of a job as JSON", {200: ResultSerializer})
ResultPdf = _export(
    services.PDF,
    "export_pdf",
    "Export the pages of a job as a searchable PDF",
    {(200, "application/pdf"): bytes},
)
