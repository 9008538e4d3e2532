"""Responds if an address does not exist or the product fails: with a problem to programs, with a page to people."""

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from maas.web.errors.api_errors import as_domain_error, problem
from maas.web.errors.error_pages import error_page
from maas.web.errors.shapes import shaped

API = ("/v1/", "/v2/", "/ws/")


def _answer(request: HttpRequest, code: str, detail: str, **extra: object) -> HttpResponse:
    body = problem(code, detail, **extra, request_id=request.META.get("maas.request_id", ""))
    if request.path.startswith(API) or request.path == "/v1":
        content_type, said = shaped(request.path, body)
        return JsonResponse(said, status=int(str(body["status"])), content_type=content_type)
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
    said = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    return _answer(request, "not_found", said or f"No page at {request.path[:200]}.")


def server_error(request: HttpRequest) -> HttpResponse:
    known = as_domain_error(sys.exc_info()[1])
    if known is not None:
        response = _answer(request, known.code, known.detail, **known.extra)
        if "retry_after_s" in known.extra:
            response["Retry-After"] = str(known.extra["retry_after_s"])
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
