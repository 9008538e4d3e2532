"""Requests that name a document by its address: checked here, fetched by the live layer, and asked once more."""

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
    """The document, where this is the second time that the request is asked."""
    upload = request.META.get(UPLOAD)
    return upload if isinstance(upload, Upload) and upload.fetched else None


def checked_address(url: str, name: str = "") -> Address:
    try:
        check_url(url)
    except EgressRefused as error:
        raise UrlNotAllowed(error.detail) from error
    return Address(url, name)


def fetch_first(request: Request, address: Address, hold: Callable[[], Hold | None]) -> Response:
    """An answer that nobody sees: whoever fetches the document reads the question beside it. `hold` takes the key."""
    fetch = request.META.get(FETCH)
    if not isinstance(fetch, Fetch):
        raise InvalidRequest(
            "A request that names a document by its address is JSON of at most 65536 bytes, with the names of its "
            "fields as they are."
        )
    held = hold()
    fetch.wanted, fetch.hold_id = address, held.id if held else None
    return Response(status=202)
