"""Renders the error pages that people see: what happened, and what they can do now. A page has the usual frame with
the navigation if the frame can be rendered without calling anything that may be broken.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import structlog
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.http import escape_leading_slashes, url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt

from maas.web.errors.api_errors import CONTENT_TYPE, as_domain_error, problem
from maas.web.errors.api_handler import shaped
from tenants.core.errors import DomainError
from tenants.dashboard_base.shell import Shell, shell_of

log = structlog.get_logger(__name__)

_TITLES: Mapping[int, str] = {
    400: "Bad request",
    403: "Access denied",
    404: "Page not found",
    405: "Method not allowed",
    408: "Request timed out",
    409: "Page out of date",
    413: "Too large",
    429: "Too many attempts",
    500: "Something went wrong",
    503: "Temporarily unavailable",
}
BROKEN = frozenset({500, 503, 507})
"""Statuses at which the data for the frame is not read, because that may be the part that is broken."""
BY_ITSELF = frozenset({503})


@dataclass(frozen=True)
class Texts:
    status: int
    title: str
    detail: str
    code: str
    request_id: str
    retry_after_s: int | None
    again: str
    """The address to try again. It is empty if another attempt would not help."""

    @property
    def by_itself(self) -> bool:
        return self.status in BY_ITSELF


def words_of(body: Mapping[str, object], again: str = "") -> Texts:
    status = int(str(body["status"]))
    wait_s = body.get("retry_after_s")
    return Texts(
        status=status,
        title=_TITLES.get(status, str(body["title"])),
        detail=str(body["detail"]),
        code=str(body["code"]),
        request_id=str(body.get("request_id", "")),
        retry_after_s=int(str(wait_s)) if wait_s is not None else None,
        again=again if status in {408, 409, 429, *BROKEN} else "",
    )


def error_page(request: HttpRequest, body: Mapping[str, object]) -> HttpResponse:
    texts = words_of(body, _again(request))
    response = HttpResponse(_rendered(request, texts), status=texts.status)
    response["Cache-Control"] = "no-store"
    if texts.retry_after_s is not None:
        response["Retry-After"] = str(texts.retry_after_s)
    return response


def bare_page(body: Mapping[str, object], path: str, query: str = "") -> str:
    """Render the page without a Django request. `path` is decoded, and `query` is as the client sent it."""
    return render_to_string("error.html", {"words": words_of(body, _here(quote(path), query))})


def _rendered(request: HttpRequest, texts: Texts) -> str:
    try:
        if _framed(request, texts):
            return render_to_string("error.html", {"words": texts}, request)
    except Exception:
        # The error page must be shown, whatever else is broken.
        log.exception("error_page_layout_failed", path=request.path)
    return render_to_string("error.html", {"words": texts})


def _framed(request: HttpRequest, texts: Texts) -> bool:
    found: Shell | None = getattr(request, "shell", None)
    if found is None and texts.status not in BROKEN and hasattr(request, "user"):
        found = shell_of(request)
        request.shell = found  # type: ignore[attr-defined]  # for the context processor
    return found is not None


def _again(request: HttpRequest) -> str:
    """Return the URL of the link *Try again*. For a submitted form, it is the page with the form."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    came_from = urlsplit(request.headers.get("Referer", ""))
    here = url_has_allowed_host_and_scheme(came_from.geturl(), allowed_hosts={request.META.get("HTTP_HOST", "")})
    return _here(came_from.path, came_from.query) if came_from.netloc and here else "/"


def _here(path: str, query: str) -> str:
    """Return an address on this site. Browsers take a path with two leading slashes for another site."""
    return escape_leading_slashes(f"{path or '/'}?{query}" if query else path or "/")


def _is_scripts(request: HttpRequest) -> bool:
    """Say whether a script sent the request. Scripts show the detail themselves; a browser accepts HTML."""
    return "text/html" not in request.headers.get("Accept", "text/html")


class RefusalPages:
    """Middleware that turns a refusal into an error page for people, or into a problem for the scripts of a page."""

    def __init__(self, get_response: Any) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response: HttpResponse = self._get_response(request)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError):
            return None
        request_id = request.META.get("maas.request_id", "")
        body = problem(error.code, error.detail, **error.extra, request_id=request_id)
        if _is_scripts(request):
            return JsonResponse(body, status=int(str(body["status"])), content_type=CONTENT_TYPE)
        return error_page(request, body)


API = ("/v1/", "/v2/", "/ws/")


def _answer(request: HttpRequest, code: str, detail: str, **extra: object) -> HttpResponse:
    body = problem(code, detail, **extra, request_id=request.META.get("maas.request_id", ""))
    if request.path.startswith(API) or request.path == "/v1":
        content_type, content = shaped(request.path, body)
        return JsonResponse(content, status=int(str(body["status"])), content_type=content_type)
    return error_page(request, body)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(
        request,
        "invalid_request",
        "The request is invalid. Check that its Host header names this service (MAAS_ALLOWED_HOSTS).",
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, "insufficient_scope", str(exception) or "You do not have access to this page.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    # The message of a view is more helpful than the resolver's list of patterns.
    detail = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    return _answer(request, "not_found", detail or f"No page at {request.path[:200]}.")


def server_error(request: HttpRequest) -> HttpResponse:
    error = as_domain_error(sys.exc_info()[1])
    if error is not None:
        response = _answer(request, error.code, error.detail, **error.extra)
        if "retry_after_s" in error.extra:
            response["Retry-After"] = str(error.extra["retry_after_s"])
        return response
    request_id = request.META.get("maas.request_id", "")
    return _answer(
        request,
        "internal_error",
        f"No stored data is lost. If it happens again, contact the operator and quote request {request_id}.",
    )


@csrf_exempt
def api_not_found(request: HttpRequest, *args: object) -> HttpResponse:
    hint = " Remove the slash at the end." if request.path.endswith("/") else ""
    return _answer(request, "not_found", f"Nothing found at {request.path[:200]}.{hint} See /v1/docs.")
