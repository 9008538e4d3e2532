"""`/v1/documents`: upload, look, erase, and see a page's picture."""

from django.core.files.storage import default_storage
from django.http import FileResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.pagination import listing
from jobs.api.schema import PAGED, PROBLEM, UPLOAD
from jobs.api.serializers import DocumentSerializer
from jobs.documents.selectors import get_document, get_page, live_documents
from jobs.documents.services import delete_document, store_document
from jobs.documents.uploads import Upload
from jobs.errors import InvalidRequest
from tenants.api.callers import caller
from tenants.context import unit_of_work


def uploaded(request: Request) -> Upload:
    upload = request.META.get("maas.upload")
    if not isinstance(upload, Upload):
        raise InvalidRequest("Send the document as multipart/form-data with a field named `file`.")
    return upload


class DocumentList(APIView):
    @extend_schema(
        summary="Upload a document",
        request=UPLOAD,
        responses={
            201: DocumentSerializer,
            200: OpenApiResponse(DocumentSerializer, "These very bytes were here already."),
            "4XX": PROBLEM,
        },
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "documents:write")
        stored = store_document(identity=identity, upload=uploaded(request))
        body = DocumentSerializer(stored.document).data
        return Response(
            {**body, "duplicate": not stored.created},
            status=201 if stored.created else 200,
            headers={"Location": f"/v1/documents/{stored.document.id}"},
        )

    @extend_schema(summary="List documents", parameters=PAGED, responses={200: DocumentSerializer(many=True)})
    def get(self, request: Request) -> Response:
        identity = caller(request, "documents:read")
        with unit_of_work(identity.tenant_id):
            return Response(listing(request, live_documents(), lambda row: DocumentSerializer(row).data))


class DocumentDetail(APIView):
    @extend_schema(summary="Show a document", responses={200: DocumentSerializer, "4XX": PROBLEM})
    def get(self, request: Request, document_id: str) -> Response:
        identity = caller(request, "documents:read")
        with unit_of_work(identity.tenant_id):
            return Response(DocumentSerializer(get_document(document_id)).data)

    @extend_schema(summary="Erase a document and its page pictures", responses={204: None, "4XX": PROBLEM})
    def delete(self, request: Request, document_id: str) -> Response:
        identity = caller(request, "documents:write")
        delete_document(identity=identity, document_id=document_id)
        return Response(status=204)


class PagePicture(APIView):
    @extend_schema(summary="A page's picture", responses={(200, "image/*"): bytes, "4XX": PROBLEM})
    def get(self, request: Request, document_id: str, number: int) -> FileResponse:
        identity = caller(request, "documents:read")
        with unit_of_work(identity.tenant_id):
            page = get_page(document_id, number)
        response = FileResponse(default_storage.open(page.picture), content_type=page.picture_type)
        response["Cache-Control"] = "private, max-age=3600, immutable"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response
