"""`/v1/uploads/{id}/parts` and `/complete`: the parts of uploads whose bytes go to the storage directly."""

from datetime import UTC, datetime, timedelta

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.upload_serializers import (
    PartNumbersSerializer,
    PartUrlSerializer,
    StoredPartSerializer,
    UploadSerializer,
)
from jobs.api.uploads import waiting_body
from jobs.uploads.direct import URL_LIVES_S, complete, part_urls, stored_parts
from jobs.uploads.models import ResumableUpload
from jobs.uploads.selectors import get_upload
from jobs.uploads.services import State
from tenants.api.callers import caller
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError

STORED = list_of("StoredPartList", StoredPartSerializer(many=True))
URLS = list_of("PartUrlList", PartUrlSerializer(many=True), expires_at=serializers.DateTimeField())
_UNSTORED = {"Cache-Control": "no-store"}


class UploadParts(APIView):
    @extend_schema(
        operation_id="list_upload_parts",
        summary="List the parts of a direct upload that have come",
        responses={200: STORED, **REFUSALS},
    )
    def get(self, request: Request, upload_id: str) -> Response:
        identity = caller(request, "documents:read")
        only(request)
        stored = stored_parts(identity=identity, upload_id=upload_id)
        return Response({"object": "list", "data": StoredPartSerializer(stored, many=True).data})

    @extend_schema(
        operation_id="sign_upload_parts",
        summary="Get URLs to send parts of a direct upload to",
        request=PartNumbersSerializer,
        responses={200: URLS, **REFUSALS},
    )
    def post(self, request: Request, upload_id: str) -> Response:
        """Return URLs for the parts. This creates nothing, so it may be called any number of times."""
        identity = caller(request, "documents:write")
        only(request)
        asked = request.data if isinstance(request.data, dict) else {}
        numbers = asked["numbers"] if set(asked) == {"numbers"} else None
        expires_at = datetime.now(UTC) + timedelta(seconds=URL_LIVES_S)
        urls = part_urls(identity=identity, upload_id=upload_id, numbers=numbers)
        told = {"object": "list", "data": PartUrlSerializer(urls, many=True).data, "expires_at": expires_at}
        return Response(told, headers=_UNSTORED)


class UploadComplete(APIView):
    @extend_schema(
        operation_id="complete_upload",
        summary="Say that all parts of a direct upload have been sent",
        request=None,
        responses={200: UploadSerializer, 202: UploadSerializer, **REFUSALS},
    )
    def post(self, request: Request, upload_id: str) -> Response:
        """Join the parts. This may be called again, because parts that were joined stay joined."""
        identity = caller(request, "documents:write")
        only(request)
        # The handler that waits for the document calls this a second time: jobs/intake/resumable.py.
        waiting = waiting_body(request)
        if waiting is None or not waiting.stored:
            turn = complete(identity=identity, upload_id=upload_id)
            if waiting is not None:
                waiting.turn = turn
        with unit_of_work(identity):
            return _standing(get_upload(upload_id))


def _standing(upload: ResumableUpload) -> Response:
    if upload.state == State.REJECTED:
        raise DomainError(upload.error_detail, code=upload.error_code)
    return Response(UploadSerializer(upload).data, status=202 if upload.state == State.CHECKING else 200)
