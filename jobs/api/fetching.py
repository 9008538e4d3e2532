"""Handles requests that name a document by URL: it is checked here, and the live layer fetches it and sends again."""

from collections.abc import Callable

from rest_framework.request import Request
from rest_framework.response import Response

from jobs.documents.uploads import FETCH, Address, Fetch, Upload
from jobs.idempotency.holds import Hold
from jobs.intake.fetch_errors import UrlNotAllowed
from tenants.core.asgi.protocol import UPLOAD
from tenants.core.errors import InvalidRequest
from tenants.core.http_client.client import check_url
from tenants.core.http_client.errors import EgressRefused


def fetched(request: Request) -> Upload | None:
    """Return the fetched document if this is the second time that the request comes here."""
    upload = request.META.get(UPLOAD)
    return upload if isinstance(upload, Upload) and upload.fetched else None


def checked_address(url: str, name: str = "") -> Address:
    try:
        check_url(url)
    except EgressRefused as error:
        raise UrlNotAllowed(error.detail) from error
    return Address(url, name)


def fetch_first(request: Request, address: Address, hold: Callable[[], Hold | None]) -> Response:
    """Ask the live layer to fetch the document. It replaces this response. `hold` takes the idempotency key."""
    fetch = request.META.get(FETCH)
    if not isinstance(fetch, Fetch):
        raise InvalidRequest(
            "A request with a document URL must be JSON of at most 65536 bytes, with unescaped field names."
        )
    held = hold()
    fetch.wanted, fetch.hold_id = address, held.id if held else None
    return Response(status=202)
