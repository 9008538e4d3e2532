"""Writes one structured log entry for each request, and adds the request's ID to all entries written meanwhile."""

import time
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

from jobs.documents.uploads import FETCH
from tenants.request_log.entries import without_keys

log = structlog.get_logger(__name__)
KEYED = ("/confirm-email/", "/password/new/", "/invitations/accept/")
"""Prefixes of addresses that contain a key. A person who has such an address may do what it is for."""
QUIET = frozenset({"/livez", "/readyz", "/metrics"})


class AccessLogMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = request.META.get("maas.request_id", "")
        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            if request.path not in QUIET:
                tell = log.debug if _comes_again(request) else log.info
                tell(
                    "request",
                    method=request.method,
                    path=_told(request.path),
                    status=response.status_code,
                    ms=round((time.perf_counter() - started) * 1000, 1),
                )
        return response


def _told(path: str) -> str:
    """Return the path with all API keys removed."""
    return next((f"{before}…" for before in KEYED if path.startswith(before)), without_keys(path))


def _comes_again(request: HttpRequest) -> bool:
    """Return whether a request repeats one that is logged already.

    A waiting request checks its job repeatedly, and a request whose document must be fetched is handled twice. Only
    the caller's own request is logged.
    """
    fetch = request.META.get(FETCH)
    return bool(request.META.get("maas.looks_again") or (fetch and fetch.wanted))
