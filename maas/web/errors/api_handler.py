"""Serializes the errors of Django REST framework in the format of the request's protocol."""

from collections.abc import Mapping
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError
from rest_framework.response import Response

from maas.web.errors.api_errors import body_for, problem
from maas.web.errors.shapes import shaped, status_at
from tenants.api.rendering import TimedJSONRenderer

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
    if "tus_version" in body:
        headers["Tus-Version"] = str(body["tus_version"])
    content_type, said = shaped(request.path, body)
    status = status_at(request.path, int(str(body["status"])))
    return Response(said, status=status, content_type=content_type, headers=headers)
