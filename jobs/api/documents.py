"""`/v1/documents`: upload, read, download and erase documents, and show the picture of a page."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import TypeVar

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.byte_ranges import ByteRange, Unsatisfiable, byte_range
from jobs.api.creations import CREATED, hold_upload, upload_document_once, uploaded_before
from jobs.api.requests import (
    attachments_wanted,
    body_values,
    checked_address,
    fetch_first,
    fetched,
    key_of,
    replay_headers,
)
from jobs.api.schema import IDEMPOTENCY_KEY, UPLOAD
from jobs.api.serializers.archives import entry_json
from jobs.api.serializers.documents import DocumentSerializer, ShownDocumentSerializer, StoredDocumentSerializer
from jobs.api.serializers.job_requests import AddressSerializer
from jobs.attachments.selectors import attachments_of, mails_with
from jobs.attachments.services import OUTERMOST
from jobs.core.errors import FileMissing, RangeNotSatisfiable
from jobs.core.models import Document, DocumentPage
from jobs.documents.files import PartOfFile, open_file, open_stream
from jobs.documents.names import safe_name
from jobs.documents.pages import with_picture
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.documents.selectors import get_document, get_page, live_documents
from jobs.documents.uploads import Address, Upload
from jobs.idempotency.idempotent_requests import Answered
from jobs.intake.inspections import ReaderBusy
from jobs.results.exports.export_slots import ExportSlots
from jobs.retention.documents import delete_document, erase_document_and_jobs
from jobs.retention.due import document_retained_until
from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tenants.plans.retention import retention_for

DOCUMENT_LIST = paged_list_of("DocumentList", DocumentSerializer(many=True))


def uploaded(request: Request) -> Upload:
    upload = request.META.get("maas.upload")
    if not isinstance(upload, Upload):
        raise InvalidRequest(
            "Send the document as multipart/form-data with a field named `file`, or its URL as JSON: "
            '{"url": "https://…"}.'
        )
    return upload


def _address_in(request: Request) -> tuple[Address | None, bool]:
    """Return the URL in the JSON body, or None for a form with a file, and whether attachments are wanted too."""
    if not request.content_type.startswith("application/json"):
        return None, True
    values = body_values(request, AddressSerializer)
    return checked_address(values["url"], values["name"], values["password"]), values["attachments"]


class DocumentList(APIView):
    @extend_schema(
        operation_id="upload_document",
        summary="Upload a document",
        parameters=[IDEMPOTENCY_KEY],
        request={**UPLOAD, "application/json": AddressSerializer},
        responses={
            201: StoredDocumentSerializer,
            200: OpenApiResponse(StoredDocumentSerializer, "The same bytes were already stored."),
            **REFUSALS,
        },
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "documents:write")
        key, (address, wants_attachments) = key_of(request), _address_in(request)
        store = partial(upload_document_once, identity=identity, key=key, address=address)
        if address is None:
            sent = uploaded(request)
            attachments = attachments_wanted(sent.fields.get("attachments"))
            return self._stored(store(upload=sent, attachments=attachments))
        upload = fetched(request)
        if upload is not None:
            return self._stored(store(upload=upload, attachments=OUTERMOST if wants_attachments else None))
        earlier = uploaded_before(identity=identity, address=address, key=key)
        if earlier is not None:
            return self._stored(earlier)
        hold = partial(hold_upload, identity=identity, address=address, key=key)
        return fetch_first(request, address, hold)

    def _stored(self, answered: Answered[Document]) -> Response:
        body = {**DocumentSerializer(answered.made).data, "duplicate": answered.status != CREATED}
        headers = {"Location": f"/v1/documents/{answered.made.id}", **replay_headers(answered)}
        return Response(body, status=answered.status, headers=headers)

    @extend_schema(
        operation_id="list_documents",
        summary="List documents",
        parameters=PAGED,
        responses={200: DOCUMENT_LIST, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "documents:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            return Response(listing(request, live_documents(), lambda row: DocumentSerializer(row).data))


class DocumentDetail(APIView):
    @extend_schema(
        operation_id="show_document",
        summary="Show a document",
        responses={200: ShownDocumentSerializer, **REFUSALS},
    )
    def get(self, request: Request, document_id: str) -> Response:
        identity = caller(request, "documents:read")
        with unit_of_work(identity):
            document = get_document(document_id)
            extra = {
                "retained_until": document_retained_until(document, retention_for(identity.tenant_id)),
                "attachments": [entry_json(entry) for entry in attachments_of(document.id)],
                "attachment_of": [str(mail.id) for mail in mails_with(document.id)],
            }
        return Response({**DocumentSerializer(document).data, **extra})

    @extend_schema(
        operation_id="erase_document",
        summary="Erase a document with its page pictures",
        parameters=[
            OpenApiParameter(
                "include_jobs",
                bool,
                description="Also erase its jobs and their results. This needs the scope `jobs:write` too.",
            )
        ],
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, document_id: str) -> Response:
        identity = caller(request, "documents:write")
        only(request, "include_jobs")
        if _includes_jobs(request.query_params.get("include_jobs", "false")):
            identity.require("jobs:write")
            erase_document_and_jobs(identity=identity, document_id=document_id)
        else:
            delete_document(identity=identity, document_id=document_id)
        return Response(status=204)


def _includes_jobs(value: str) -> bool:
    if value not in ("true", "false"):
        raise InvalidRequest(f"Unknown value include_jobs={value[:40]!r}. Use true or false.")
    return value == "true"


Opened = TypeVar("Opened")


def opened(identity: Identity, document_id: object, open_: Callable[[], Opened]) -> Opened:
    try:
        return open_()
    except FileMissing:
        # If the document was erased since it was looked up, the response says so, and the storage is not at fault.
        with unit_of_work(identity):
            get_document(document_id)
        raise


def revalidated(request: Request, etag: str, whole: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the file, or 304 to a client that has it. A client that keeps it must ask each time whether it still
    exists.
    """
    response = get_conditional_response(request._request, etag=quote_etag(etag)) or whole()
    response["ETag"] = quote_etag(etag)
    response["Cache-Control"] = "private, no-cache"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


class DocumentContent(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="download_document",
        summary="Download a document as it was uploaded",
        parameters=[
            OpenApiParameter("Range", str, OpenApiParameter.HEADER, description="A part of the file: `bytes=0-1023`."),
            OpenApiParameter(
                "If-Range",
                str,
                OpenApiParameter.HEADER,
                description="The `ETag` of the file that the part is of.",
            ),
        ],
        responses={(200, "*/*"): bytes, (206, "*/*"): bytes, 304: None, 412: None, **REFUSALS},
    )
    def get(self, request: Request, document_id: str) -> HttpResponseBase:
        """Return the file, as an attachment with the document's name. The `Accept` header of the request is ignored.
        One range of bytes may be requested.
        """
        identity = caller(request, "documents:read")
        only(request)
        with unit_of_work(identity):
            document = get_document(document_id)
        return revalidated(request, document.sha256, partial(_original, request, identity, document))


def _original(request: Request, identity: Identity, document: Document) -> FileResponse:
    part = _part(request, document)
    file = opened(identity, document.id, partial(open_stream, document.file, part.first if part else 0))
    response = FileResponse(
        PartOfFile(file, part.size) if part else file,
        as_attachment=True,
        filename=safe_name(document.name),
        content_type=document.content_type,
        status=206 if part else 200,
    )
    response["Accept-Ranges"] = "bytes"
    response["Content-Length"] = str(part.size if part else document.size_bytes)
    if part:
        response["Content-Range"] = part.of(document.size_bytes)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _part(request: Request, document: Document) -> ByteRange | None:
    """Return the part that the request wants. A part of another version of the file is the whole file."""
    headers, size = request.headers, document.size_bytes
    if request.method != "GET" or headers.get("If-Range", quote_etag(document.sha256)) != quote_etag(document.sha256):
        return None
    try:
        return byte_range(headers.get("Range"), size)
    except Unsatisfiable:
        raise RangeNotSatisfiable(
            f"This document has {size} bytes, and none of the range {headers['Range'][:60]!r}.",
            extra={"size_bytes": size},
        ) from None


class PagePicture(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="show_page_picture",
        summary="Show a page picture",
        responses={(200, "image/*"): bytes, 304: None, **REFUSALS},
    )
    def get(self, request: Request, document_id: str, number: int) -> HttpResponseBase:
        identity = caller(request, "documents:read")
        with unit_of_work(identity):
            document = get_document(document_id)
        return stored_picture(request, identity, drawn_page(identity, document, number))


def picture_etag(page: DocumentPage, turn: str = "") -> str:
    """Return a hash of the name of a page's picture, which is never used twice, and of what is done to the picture."""
    return sha256(f"{page.picture}{turn}".encode()).hexdigest()[:32]


BUSY_PAUSE_S = 2
BEING_DRAWN = ExportSlots("page pictures are being drawn", 4, max_each=3, retry_after_s=BUSY_PAUSE_S)
"""The slots for pages in this process that are drawn for the first time. Each holds a thread and a picture's pixels."""


def drawn_page(identity: Identity, document: Document, number: int) -> DocumentPage:
    """Return a page with its picture. A page that has text of its own is drawn at the first request for its picture."""
    with unit_of_work(identity):
        page = get_page(document.id, number)
    if page.picture:
        return page
    with BEING_DRAWN.taken(identity.tenant_id):
        try:
            return opened(identity, document.id, partial(with_picture, document, page))
        except ReaderUnavailable as error:
            busy = "Too many documents are being opened. Try again in a few seconds."
            raise ReaderBusy(busy, extra={"retry_after_s": BUSY_PAUSE_S}) from error
        except DocumentRejected as error:
            raise NotFound(f"Page {number} cannot be drawn. {error.detail}") from error


def stored_picture(request: Request, identity: Identity, page: DocumentPage) -> HttpResponseBase:
    return revalidated(request, picture_etag(page), partial(_picture, identity, page))


def _picture(identity: Identity, page: DocumentPage) -> FileResponse:
    file = opened(identity, page.document_id, partial(open_file, page.picture))
    return FileResponse(file, content_type=page.picture_type)
