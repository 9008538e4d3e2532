"""What is answered where nothing is, or where something of ours broke: a problem to programs, a page to people."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt

from maas.api_errors import CONTENT_TYPE, database_away, problem

API = ("/v1/", "/v2/", "/ws/")


def _answer(request: HttpRequest, code: str, detail: str) -> HttpResponse:
    body = problem(code, detail, request_id=request.META.get("maas.request_id", ""))
    status = int(str(body["status"]))
    if request.path.startswith(API) or request.path == "/v1":
        return JsonResponse(body, status=status, content_type=CONTENT_TYPE)
    return HttpResponse(render_to_string("error.html", body), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(
        request,
        "invalid_request",
        "This request cannot be served as it is. Does its Host header name this service (MAAS_ALLOWED_HOSTS)?",
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, "not_found", f"There is nothing at {request.path[:200]}.")


def server_error(request: HttpRequest) -> HttpResponse:
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        away = database_away()
        response = _answer(request, away.code, away.detail)
        response["Retry-After"] = str(away.extra["retry_after_s"])
        return response
    request_id = request.META.get("maas.request_id", "")
    return _answer(
        request, "internal_error", f"Something went wrong on our side. Quote request {request_id}."
    )


@csrf_exempt
def api_not_found(request: HttpRequest, *args: object) -> HttpResponse:
    hint = " Leave out the slash at the end." if request.path.endswith("/") else ""
    return _answer(request, "not_found", f"There is nothing at {request.path[:200]}.{hint} See /v1/docs.")
