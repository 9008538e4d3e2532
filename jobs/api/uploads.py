"""`/v1/uploads`: large files in as many requests as they need, by the tus protocol; see jobs/uploads/resumable.py."""

from collections.abc import Mapping
from typing import Any, cast

from django.conf import settings
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.registry.isolation import require_isolation
from jobs.api.creations import CREATED, create_upload_once
from jobs.api.requests import key_of, replay_headers
from jobs.api.schema import IDEMPOTENCY_KEY
from jobs.api.serializers.uploads import UploadSerializer
from jobs.idempotency.idempotent_requests import Answered
from jobs.uploads import protocol
from jobs.uploads.decisions import Offer, gone, out_of_place, state_of, too_long
from jobs.uploads.models import ResumableUpload
from jobs.uploads.receiving import WAITING, WaitingBody, take_turn
from jobs.uploads.selectors import get_upload, seen, uploads
from jobs.uploads.services import State, terminate_upload
from tenants.api.callers import caller
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, InvalidRequest, NotFound
from tenants.identity.identity import Identity, Scope

UPLOAD_LIST = paged_list_of("UploadList", UploadSerializer(many=True))
BYTES = {protocol.BYTES: {"type": "string", "format": "binary"}}


WRITES: Mapping[str, Scope] = {protocol.DOCUMENT: "documents:write", protocol.MODEL: "models:write"}
READS: Mapping[str, Scope] = {protocol.DOCUMENT: "documents:read", protocol.MODEL: "models:read"}
"""The scopes that a caller needs, by the purpose of the upload."""


def _header(name: str, description: str, *, required: bool = True) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, required=required, description=description)


RESUMABLE = _header("Tus-Resumable", "Version of the tus protocol: 1.0.0.")
LENGTH = _header("Upload-Length", "Size of the file in bytes.")
METADATA = _header(
    "Upload-Metadata",
    "`filename`, `filetype`, and for the file of a model `purpose` with the value `model`, encoded in base64 as in the "
    "tus protocol.",
    required=False,
)
OFFSET = _header("Upload-Offset", "Number of bytes already stored. The bytes of this request follow them.")
CHECKSUM = _header(
    "Upload-Checksum", "`sha256` or `sha1`, a space, and the digest of this body in base64.", required=False
)


class UploadList(APIView):
    def get_permissions(self) -> list[Any]:
        """Allow OPTIONS for everybody, because the capabilities of the server are no secret."""
        return [] if self.request.method == "OPTIONS" else list(super().get_permissions())

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        headers = {
            "Tus-Version": protocol.VERSION,
            "Tus-Extension": protocol.EXTENSIONS,
            "Tus-Max-Size": str(settings.MAAS_MAX_RESUMABLE_BYTES),
            "Tus-Checksum-Algorithm": ",".join(protocol.ALGORITHMS),
        }
        return Response(status=204, headers=headers)

    @extend_schema(
        operation_id="create_upload",
        summary="Create a resumable upload",
        parameters=[IDEMPOTENCY_KEY, RESUMABLE, LENGTH, METADATA, CHECKSUM],
        request=BYTES,
        responses={201: UploadSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        purpose = protocol.read_purpose(request.headers.get("Upload-Metadata"))
        identity = caller(request, WRITES[purpose])
        only(request)
        protocol.require_version(request.headers.get("Tus-Resumable"))
        if purpose == protocol.MODEL:
            require_isolation()
        if "Upload-Concat" in request.headers:
            raise InvalidRequest("Upload-Concat is not supported. Send the file as one upload.")
        checksum = protocol.read_checksum(request.headers.get("Upload-Checksum"))
        announced = protocol.read_announced(
            request.headers.get("Upload-Length"), request.headers.get("Upload-Metadata")
        )
        waiting = _waiting_body(request)
        if waiting is not None and (waiting.announced_bytes or 0) > announced.size_bytes:
            raise too_long(announced.size_bytes)
        answered = create_upload_once(identity=identity, announced=announced, key=key_of(request))
        if waiting is not None and not answered.replayed:
            offer = Offer(0, waiting.announced_bytes)
            waiting.turn = take_turn(identity=identity, upload_id=answered.made.id, offer=offer, checksum=checksum)
        return _begun(answered)

    @extend_schema(
        operation_id="list_uploads",
        summary="List resumable uploads",
        parameters=PAGED,
        responses={200: UPLOAD_LIST, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "documents:read")
        only(request, "limit", "cursor")
        readable = [purpose for purpose, scope in READS.items() if scope in identity.scopes]
        with unit_of_work(identity):
            found = uploads().filter(purpose__in=readable)
            return Response(listing(request, found, lambda row: UploadSerializer(row).data))


class UploadDetail(APIView):
    @extend_schema(
        operation_id="show_upload",
        summary="Show a resumable upload",
        responses={200: UploadSerializer, **REFUSALS},
    )
    def get(self, request: Request, upload_id: str) -> Response:
        _, upload = _found(request, upload_id, READS)
        return Response(UploadSerializer(upload).data)

    def head(self, request: Request, upload_id: str) -> Response:
        _, upload = _found(request, upload_id, WRITES)
        protocol.require_version(request.headers.get("Tus-Resumable"))
        if (ended := gone(seen(upload))) is not None:
            raise ended
        headers = {"Upload-Length": str(upload.size_bytes), "Cache-Control": "no-store", **_headers(upload)}
        if upload.metadata:
            headers["Upload-Metadata"] = upload.metadata
        return Response(status=200, headers=headers)

    @extend_schema(
        operation_id="send_upload_bytes",
        summary="Send the next bytes of a resumable upload",
        parameters=[RESUMABLE, OFFSET, CHECKSUM],
        request=BYTES,
        responses={
            204: OpenApiResponse(
                description="The bytes are stored. `Upload-Offset` is the number of bytes stored so far."
            ),
            **REFUSALS,
        },
    )
    def patch(self, request: Request, upload_id: str) -> Response:
        """Store the bytes. Without a body, return the state of the upload, and the error of a rejected file."""
        identity, upload = _found(request, upload_id, WRITES)
        protocol.require_version(request.headers.get("Tus-Resumable"))
        _require_bytes(request)
        waiting = _waiting_body(request)
        if waiting is not None and waiting.stored:
            return _standing(upload)
        checksum = protocol.read_checksum(request.headers.get("Upload-Checksum"))
        offset = protocol.read_offset(request.headers.get("Upload-Offset"))
        if waiting is not None:
            offer = Offer(offset, waiting.announced_bytes)
            waiting.turn = take_turn(identity=identity, upload_id=upload.id, offer=offer, checksum=checksum)
            return Response(status=204)
        refusal = out_of_place(seen(upload), offset)
        if refusal is not None:
            raise refusal
        return _standing(upload)

    @extend_schema(
        operation_id="terminate_upload",
        summary="Cancel an upload",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, upload_id: str) -> Response:
        identity, _ = _found(request, upload_id, WRITES)
        version = request.headers.get("Tus-Resumable")
        if version is not None:
            protocol.require_version(version)
        terminate_upload(identity=identity, upload_id=upload_id)
        return Response(status=204)


def _begun(answered: Answered[ResumableUpload]) -> Response:
    headers = {
        "Location": f"/v1/uploads/{answered.made.id}",
        **_headers(answered.made),
        **replay_headers(answered),
    }
    return Response(UploadSerializer(answered.made).data, status=CREATED, headers=headers)


def _found(request: Request, upload_id: str, scopes: Mapping[str, Scope]) -> tuple[Identity, ResumableUpload]:
    """Return the caller and the upload. The scope that is needed depends on what the upload is for."""
    identity = cast(Identity, request.user)
    try:
        with unit_of_work(identity):
            upload = get_upload(upload_id)
    except NotFound:
        identity.require(scopes[protocol.DOCUMENT])
        raise
    identity.require(scopes[upload.purpose])
    return identity, upload


def _waiting_body(request: Request) -> WaitingBody | None:
    waiting = request.META.get(WAITING)
    return waiting if isinstance(waiting, WaitingBody) else None


def _require_bytes(request: Request) -> None:
    sent = request.content_type or ""
    if sent.partition(";")[0].strip().lower() != protocol.BYTES:
        raise InvalidRequest(
            f"The Content-Type is {sent[:80]!r}. Send the bytes of an upload as {protocol.BYTES}.",
            code="unsupported_media_type",
        )


def _standing(upload: ResumableUpload) -> Response:
    """Return the result for the file as soon as it is available."""
    if upload.state == State.REJECTED:
        raise DomainError(upload.error_detail, code=upload.error_code)
    return Response(status=204, headers=_headers(upload))


def _headers(upload: ResumableUpload) -> dict[str, str]:
    """Return the headers with the state of the upload. The id of a document says that everything is done."""
    headers = {
        "Upload-Offset": str(upload.offset_bytes),
        "Upload-State": state_of(seen(upload)),
        "Upload-Expires": http_date(upload.expires_at.timestamp()),
    }
    if upload.document_id is not None:
        headers["Upload-Document"] = str(upload.document_id)
    return headers
