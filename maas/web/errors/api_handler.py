"""Serializes a problem, or an error of Django REST framework, in the format of the request's protocol."""

from collections.abc import Mapping
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError
from rest_framework.response import Response

from inference.gateway.gateway import EMBEDDINGS, is_call, is_grpc, is_open_inference
from maas.web.errors.api_errors import CONTENT_TYPE, body_for, problem
from tenants.api.rendering import TimedJSONRenderer

JSON = "application/json"
OPENAI_LISTS = ("/v1/files", "/v1/batches")
OURS = "/v1"
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


_NOT_PROCESSABLE, _BAD_REQUEST = 422, 400


def status_at(path: str, status: int) -> int:
    """Return the status. Both foreign protocols have a single status for everything that is wrong with a request."""
    return _BAD_REQUEST if status == _NOT_PROCESSABLE and (is_call(path) or is_openai(path)) else status


def is_openai(path: str) -> bool:
    """Say whether a path belongs to the addresses where the body of an error has only OpenAI's format."""
    return path == EMBEDDINGS or path in OPENAI_LISTS or path.startswith(tuple(f"{prefix}/" for prefix in OPENAI_LISTS))


def shaped(path: str, problem: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """Return content type and body. Every format keeps the code and the request's ID."""
    if is_open_inference(path) or is_grpc(path):
        return JSON, {
            "error": problem["detail"],
            "code": problem["code"],
            "request_id": problem["request_id"],
            **_gate(problem),
        }
    if is_openai(path):
        return JSON, {"error": _openai_error(problem)}
    if path == OURS or path.startswith(f"{OURS}/"):
        # OpenAI's clients list models here, and request addresses that do not exist. They print the text in `error`.
        return CONTENT_TYPE, {**problem, "error": _openai_error(problem)}
    return CONTENT_TYPE, problem


def _gate(problem: Mapping[str, object]) -> Mapping[str, object]:
    return {"gate": problem["gate"]} if "gate" in problem else {}


def _openai_error(problem: Mapping[str, object]) -> dict[str, object]:
    status = int(str(problem["status"]))
    kind = _OPENAI_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {
        "message": problem["detail"],
        "type": kind,
        "param": problem.get("param"),
        "code": problem["code"],
        "request_id": problem["request_id"],
        **_gate(problem),
    }


log = structlog.get_logger(__name__)


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Turn an error into a response. This is Django REST framework's exception hook."""
    body = body_for(error)
    request = context["request"]
    request_id = request.META.get("maas.request_id", "")
    if body is not None and isinstance(error, DatabaseError | InterfaceError):
        log.warning("database_unavailable", path=request.path, error=str(error))
    if body is None:
        log.exception("unhandled_error", path=request.path, request_id=request_id)
        body = problem(
            "internal_error",
            f"Something went wrong on our side. Contact the operator and quote request {request_id}.",
        )
    body["request_id"] = request_id
    # A problem is JSON, whatever the endpoint returns otherwise (a page, a picture).
    request.accepted_renderer = TimedJSONRenderer()
    request.accepted_media_type = TimedJSONRenderer.media_type
    headers = {"WWW-Authenticate": 'Bearer realm="maas"'} if body["status"] == 401 else {}
    if "retry_after_s" in body:
        headers["Retry-After"] = str(body["retry_after_s"])
    if body["code"] == "range_not_satisfiable":
        headers["Content-Range"] = f"bytes */{body['size_bytes']}"
    if "tus_version" in body:
        headers["Tus-Version"] = str(body["tus_version"])
    content_type, content = shaped(request.path, body)
    status = status_at(request.path, int(str(body["status"])))
    return Response(content, status=status, content_type=content_type, headers=headers)
