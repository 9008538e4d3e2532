"""`/v1/jobs/{id}/result.txt`, `.md`, `.json` and `.pdf`: a job's result as a file to keep."""

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
    description="A page, or a range such as `1-200`; every page unless told.",
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


class _Export(APIView):
    """A view whose file has one format, whatever the `Accept` header of the request says."""

    content_negotiation_class = AsStored


class ResultText(_Export):
    @extend_schema(
        operation_id="export_text",
        summary="The text as a file",
        parameters=[PAGES],
        responses={(200, "text/plain"): str, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> FileResponse:
        return exported(request, job_id, services.TEXT)


class ResultMarkdown(_Export):
    @extend_schema(
        operation_id="export_markdown",
        summary="The text as Markdown, in paragraphs",
        parameters=[PAGES],
        responses={(200, "text/markdown"): str, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> FileResponse:
        return exported(request, job_id, services.MARKDOWN)


class ResultJson(_Export):
    @extend_schema(
        operation_id="export_json",
        summary="The result as a JSON file",
        parameters=[PAGES],
        responses={200: ResultSerializer, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> FileResponse:
        return exported(request, job_id, services.JSON)


class ResultPdf(_Export):
    @extend_schema(
        operation_id="export_pdf",
        summary="The page pictures as a searchable PDF",
        parameters=[PAGES],
        responses={(200, "application/pdf"): bytes, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> FileResponse:
        return exported(request, job_id, services.PDF)
