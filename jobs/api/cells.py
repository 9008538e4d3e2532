"""`/v1/operator/cells/`: what cells read of each other. A cell signs its requests; keys and people are refused."""

import base64

from django.http import FileResponse, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.cells.model_parts import files_given, stored_name
from jobs.cells.published import published_export
from jobs.cells.report import own_report
from jobs.cells.sync import SIGNATURE
from jobs.documents.files import open_stream
from tenants.api.cells import CellAuthentication, IsCell
from tenants.api.parameters import only
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import NotFound

NOT_MODIFIED = 304


class CellExportView(APIView):
    authentication_classes = (CellAuthentication,)
    permission_classes = (IsCell,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        only(request)
        with operator_work():
            export = published_export()
        if export is None:
            raise NotFound("This cell's scheduler has made no document yet.")
        headers = {
            "ETag": f'"{export.version}"',
            SIGNATURE: base64.urlsafe_b64encode(bytes(export.signature)).decode(),
        }
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return HttpResponse(status=NOT_MODIFIED, headers=headers)
        return HttpResponse(bytes(export.body), content_type="application/json", headers=headers)


class CellReportView(APIView):
    authentication_classes = (CellAuthentication,)
    permission_classes = (IsCell,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        only(request)
        return Response(own_report())


class CellFile(APIView):
    authentication_classes = (CellAuthentication,)
    permission_classes = (IsCell,)

    @extend_schema(exclude=True)
    def get(self, request: Request, sha256: str) -> FileResponse:
        only(request)
        with operator_work():
            file = files_given().get(sha256)
        if file is None:
            raise NotFound(f"No model of this installation has a file {sha256[:64]!r}.")
        response = FileResponse(open_stream(stored_name(file)), content_type="application/octet-stream")
        response["Content-Length"] = str(file.bytes)
        return response
