"""One table from domain error to HTTP status, and one shape for our own API: RFC 9457 problem details."""

from collections.abc import Mapping
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from inference.contracts import WorkRefused
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from tenants.errors import DatabaseAway, DomainError

log = structlog.get_logger(__name__)
CONTENT_TYPE = "application/problem+json"

STATUS: Mapping[str, int] = {
    "invalid_request": 400,
    "invalid_cursor": 400,
    "key_in_query": 400,
    "not_authenticated": 401,
    "invalid_api_key": 401,
    "api_key_revoked": 401,
    "api_key_expired": 401,
    "insufficient_scope": 403,
    "tenant_suspended": 403,
    "csrf_failed": 403,
    "origin_not_allowed": 403,
    "not_found": 404,
    "model_not_found": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "request_timeout": 408,
    "job_finished": 409,
    "job_not_finished": 409,
    "nothing_to_retry": 409,
    "model_paused": 409,
    "document_deleted": 410,
    "document_too_large": 413,
    "request_too_large": 413,
    "unsupported_type": 415,
    "unsupported_media_type": 415,
    "rate_limited": 429,
    "internal_error": 500,
    "file_missing": 500,
    "overloaded": 503,
    "restarting": 503,
    "reader_unavailable": 503,
    "database_unavailable": 503,
    "storage_unavailable": 503,
    "storage_full": 507,
}
"""Codes that are not listed are about the content of a well-formed request: 422."""

TITLES: Mapping[int, str] = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Not permitted",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    408: "Request timed out",
    409: "Conflict",
    410: "Gone",
    411: "Length required",
    413: "Too large",
    415: "Unsupported media type",
    422: "Not processable",
    429: "Too many requests",
    500: "Internal error",
    503: "Unavailable",
    507: "Storage is full",
}


def status_of(code: str) -> int:
    return STATUS.get(code, 422)


def problem(code: str, detail: str, **extra: object) -> dict[str, object]:
    """The body of every error on our own paths."""
    status = status_of(code)
    return {
        "type": f"/errors/{code}",
        "title": TITLES[status],
        "status": status,
        "code": code,
        "detail": detail,
        **extra,
    }


_FRAMEWORK: Mapping[type[exceptions.APIException], str] = {
    exceptions.ParseError: "invalid_request",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.UnsupportedMediaType: "unsupported_media_type",
    exceptions.NotAcceptable: "not_acceptable",
    exceptions.Throttled: "rate_limited",
}


def _from_framework(error: exceptions.APIException) -> dict[str, object]:
    match error:
        case exceptions.ValidationError():
            return problem("invalid_request", _first_words(error.detail), errors=error.detail)
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return problem("not_authenticated", "Send your key as: Authorization: Bearer <key>.")
        case exceptions.PermissionDenied():
            code = "csrf_failed" if "CSRF" in str(error.detail) else "insufficient_scope"
            return problem(code, str(error.detail))
    return problem(_FRAMEWORK.get(type(error), "internal_error"), str(error.detail))


def _first_words(detail: Any) -> str:
    """A validation error's first field and reason, so that the sentence alone already helps."""
    if isinstance(detail, Mapping) and detail:
        field, reasons = next(iter(detail.items()))
        return f"`{field}`: {_first_words(reasons)}"
    if isinstance(detail, list) and detail:
        return _first_words(detail[0])
    return str(detail)


def database_away() -> DatabaseAway:
    """For a database that restarts, fails over or is cut off: nothing was done, and asking again will do."""
    return DatabaseAway("The database cannot be reached right now. Try again.", extra={"retry_after_s": 2})


def body_for(error: Exception) -> dict[str, object] | None:
    """The problem that an error becomes; None when it is a defect of ours that must stay loud."""
    if isinstance(error, exceptions.APIException):
        return _from_framework(error)
    refusal = _as_domain_error(error)
    return problem(refusal.code, refusal.detail, **refusal.extra) if refusal is not None else None


def _as_domain_error(error: Exception) -> DomainError | None:
    match error:
        case DomainError():
            return error
        case OperationalError() | InterfaceError():
            return database_away()
        case WorkRefused() | DocumentRejected():
            return DomainError(error.detail, code=error.code)
        case ReaderUnavailable():
            words = "Too many documents are being looked at. Try again."
            return DomainError(words, code=error.code, extra={"retry_after_s": 2})
        case Http404():
            return DomainError("There is nothing here under that address.", code="not_found")
    return None


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Django REST framework's exception hook."""
    body = body_for(error)
    request = context["request"]
    request_id = request.META.get("maas.request_id", "")
    if isinstance(error, OperationalError | InterfaceError):
        log.warning("database_unavailable", path=request.path, error=str(error))
    if body is None:
        log.exception("unhandled_error", path=request.path, request_id=request_id)
        body = problem(
            "internal_error", f"Something went wrong on our side. Quote request {request_id} to the operator."
        )
    body["request_id"] = request_id
    # Whatever the endpoint gives otherwise (a page, a picture): a problem is JSON.
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    headers = {"WWW-Authenticate": 'Bearer realm="maas"'} if body["status"] == 401 else {}
    if "retry_after_s" in body:
        headers["Retry-After"] = str(body["retry_after_s"])
    return Response(body, status=int(str(body["status"])), content_type=CONTENT_TYPE, headers=headers)
