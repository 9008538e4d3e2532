"""`/v1/jobs/{id}/pages/{number}/picture`: the picture of a page as it was read."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from jobs.api.documents import BUSY_PAUSE_S, drawn_page, opened, picture_etag, revalidated, stored_picture
from jobs.core.errors import FileMissing
from jobs.core.models import DocumentPage
from jobs.documents.job_selectors import get_job, get_job_page
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.documents.selectors import get_document
from jobs.intake.inspections import ReaderBusy
from jobs.results.exports.export_slots import ExportSlots
from jobs.results.pictures.turns import NOT_TURNED, turn_of
from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.identity.identity import Identity

BEING_TURNED = ExportSlots("page pictures are being made", 3, max_each=2, retry_after_s=BUSY_PAUSE_S)
"""The slots for pictures in this process. Each holds a thread and the pixels of two pictures."""


class ShownPicture(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="show_job_page_picture",
        summary="Show the picture of a page as it was read",
        responses={(200, "image/*"): bytes, 304: None, **REFUSALS},
    )
    def get(self, request: Request, job_id: str, number: int) -> HttpResponseBase:
        """Return the picture that the boxes of the page's result lie on: turned upright, straight, and with the sheet
        cut out of a photograph. It is the stored picture if the page's result says nothing of this.
        """
        identity = caller(request, "jobs:read")
        identity.require("documents:read")
        only(request)
        with unit_of_work(identity):
            job = get_job(job_id)
            result = get_job_page(job, number).result
            if job.document_id is None:
                raise NotFound("This job has no document, so its page has no picture.")
            document = get_document(job.document_id)
        page = drawn_page(identity, document, number)
        turn = turn_of(result)
        if turn == NOT_TURNED:
            return stored_picture(request, identity, page)
        return revalidated(request, picture_etag(page, turn.key), partial(_turned, request, identity, page, result))


def _turned(
    request: Request, identity: Identity, page: DocumentPage, result: Mapping[str, Any] | None
) -> HttpResponseBase:
    """Import the libraries for pictures for the first such picture, so that no other response has to wait for them."""
    making = import_module("jobs.results.pictures.shown_picture")
    righting = making.righting_of(result, page.width_px, page.height_px)
    if righting is None:
        return stored_picture(request, identity, page)
    make = partial(making.shown_picture, page, righting)
    with BEING_TURNED.taken(identity.tenant_id):
        content, content_type = opened(identity, page.document_id, partial(_made, make))
    return HttpResponse(content, content_type=content_type)


def _made(make: Callable[[], tuple[bytes, str]]) -> tuple[bytes, str]:
    try:
        return make()
    except ReaderUnavailable as error:
        busy = "Too many documents are being opened. Try again in a few seconds."
        raise ReaderBusy(busy, extra={"retry_after_s": BUSY_PAUSE_S}) from error
    except DocumentRejected as error:
        raise FileMissing("The picture of this page is damaged in the storage. Contact the operator.") from error
