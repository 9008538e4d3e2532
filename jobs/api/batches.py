"""`/v1/files` and `/v1/batches`: many calls of one model in one file, in the form that OpenAI's clients use."""

from urllib.parse import quote

from django.http import FileResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.creations import create_batch_once, upload_file_once
from jobs.api.openai_requests import batch_request, file_lives_s, refused
from jobs.api.requests import key_of, replay_headers
from jobs.api.schema import FILE_UPLOAD, IDEMPOTENCY_KEY, NEW_BATCH, OPENAI_REFUSALS, openai_list_of
from jobs.api.serializers.openai import (
    NEWEST_FIRST,
    OLDEST_FIRST,
    BatchObject,
    DeletedFile,
    FileObject,
    batch_object,
    file_object,
    openai_listing,
)
from jobs.batches.ids import BATCH, FILE, shown
from jobs.batches.models import Batch, StoredFile
from jobs.batches.selectors import get_batch, get_file, with_models
from jobs.batches.services import cancel_batch, delete_file
from jobs.core.errors import FileMissing
from jobs.documents.files import open_file
from jobs.documents.uploads import Upload
from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.pagination import DEFAULT, MOST
from tenants.api.parameters import only
from tenants.api.schema import limit_parameter
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.messages import names_in_words


class BatchList(APIView):
    @extend_schema(
        operation_id="create_batch",
        summary="Create a batch",
        parameters=[IDEMPOTENCY_KEY],
        request=NEW_BATCH,
        responses={200: BatchObject, **OPENAI_REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "jobs:write")
        wanted = batch_request(request.data, request.META.get("maas.request_id", ""))
        answered = create_batch_once(identity=identity, request=wanted, key=key_of(request))
        return Response(batch_object(answered.made), status=answered.status, headers=replay_headers(answered))

    @extend_schema(
        operation_id="list_batches",
        summary="List batches",
        parameters=[
            limit_parameter(most=100, default=20),
            OpenApiParameter("after", str, description="`last_id` of the previous page."),
        ],
        responses={200: openai_list_of("BatchList", BatchObject(many=True)), **OPENAI_REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "limit", "after")
        with unit_of_work(identity):
            batches = with_models(Batch.objects.all())
            return Response(openai_listing(request, batches, batch_object, prefix=BATCH, default=DEFAULT, most=MOST))


class BatchDetail(APIView):
    @extend_schema(
        operation_id="show_batch",
        summary="Show a batch",
        responses={200: BatchObject, **OPENAI_REFUSALS},
    )
    def get(self, request: Request, batch_id: str) -> Response:
        identity = caller(request, "jobs:read")
        with unit_of_work(identity):
            return Response(batch_object(get_batch(batch_id)))


class BatchCancel(APIView):
    @extend_schema(
        operation_id="cancel_batch",
        summary="Cancel a batch",
        request=None,
        responses={200: BatchObject, **OPENAI_REFUSALS},
    )
    def post(self, request: Request, batch_id: str) -> Response:
        identity = caller(request, "jobs:write")
        return Response(batch_object(cancel_batch(identity=identity, batch_id=batch_id)))


MAX_LISTED = 10_000


class FileList(APIView):
    @extend_schema(
        operation_id="upload_file",
        summary="Upload an input file for a batch",
        parameters=[IDEMPOTENCY_KEY],
        request=FILE_UPLOAD,
        responses={200: FileObject, **OPENAI_REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "documents:write")
        upload = request.META.get("maas.upload")
        if not isinstance(upload, Upload):
            raise refused(
                "Send the file as multipart/form-data, in the field 'file', with the field 'purpose'.", "file"
            )
        lives_s = file_lives_s(upload.fields)
        answered = upload_file_once(identity=identity, upload=upload, lives_s=lives_s, key=key_of(request))
        return Response(file_object(answered.made), status=answered.status, headers=replay_headers(answered))

    @extend_schema(
        operation_id="list_files",
        summary="List files",
        parameters=[
            limit_parameter(most=MAX_LISTED, default=MAX_LISTED),
            OpenApiParameter("after", str, description="`last_id` of the previous page."),
            OpenApiParameter(
                "order",
                str,
                enum=[OLDEST_FIRST, NEWEST_FIRST],
                description=f"Order by time of creation. Default: {NEWEST_FIRST}.",
            ),
            OpenApiParameter("purpose", str, description="List only files with this purpose."),
        ],
        responses={200: openai_list_of("FileList", FileObject(many=True)), **OPENAI_REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "documents:read")
        only(request, "limit", "after", "order", "purpose")
        order = request.query_params.get("order", NEWEST_FIRST)
        if order not in (OLDEST_FIRST, NEWEST_FIRST):
            raise refused(
                f"{order[:80]!r} is not one of {names_in_words((OLDEST_FIRST, NEWEST_FIRST))} - 'order'",
                "order",
            )
        purpose = request.query_params.get("purpose")
        with unit_of_work(identity):
            files = StoredFile.objects.filter(purpose=purpose) if purpose else StoredFile.objects.all()
            return Response(
                openai_listing(
                    request, files, file_object, prefix=FILE, default=MAX_LISTED, most=MAX_LISTED, order=order
                )
            )


class FileDetail(APIView):
    @extend_schema(
        operation_id="show_file",
        summary="Show a file",
        responses={200: FileObject, **OPENAI_REFUSALS},
    )
    def get(self, request: Request, file_id: str) -> Response:
        identity = caller(request, "documents:read")
        with unit_of_work(identity):
            return Response(file_object(get_file(file_id)))

    @extend_schema(
        operation_id="delete_file",
        summary="Delete a file",
        responses={200: DeletedFile, **OPENAI_REFUSALS},
    )
    def delete(self, request: Request, file_id: str) -> Response:
        identity = caller(request, "documents:write")
        stored = delete_file(identity=identity, file_id=file_id)
        return Response({"id": shown(FILE, stored.id), "object": "file", "deleted": True})


class FileContent(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="show_file_content",
        summary="Download a file",
        responses={(200, "application/jsonl"): bytes, **OPENAI_REFUSALS},
    )
    def get(self, request: Request, file_id: str) -> FileResponse:
        identity = caller(request, "documents:read")
        with unit_of_work(identity):
            stored = get_file(file_id)
        try:
            content = open_file(stored.file)
        except FileMissing:
            # If the file was deleted since it was looked up, the response says so, and the storage is not at fault.
            with unit_of_work(identity):
                get_file(file_id)
            raise
        response = FileResponse(content, content_type="application/jsonl")
        response["Content-Length"] = str(stored.size_bytes)
        response["Content-Disposition"] = f"attachment; filename*=utf-8''{quote(stored.name, safe='')}"
        response["Cache-Control"] = "private, no-store"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response
