"""Pieces of the OpenAPI document that several endpoints share."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from jobs.states import JOB_STATES

PROBLEM = OpenApiResponse(
    inline_serializer(
        "Problem",
        {
            "type": serializers.CharField(),
            "title": serializers.CharField(),
            "status": serializers.IntegerField(),
            "code": serializers.CharField(help_text="Stable; meant for programs."),
            "detail": serializers.CharField(help_text="Meant for people."),
            "request_id": serializers.CharField(),
        },
    ),
    description="What was wrong, as application/problem+json (RFC 9457).",
)
UPLOAD: dict[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "required": ["file"],
        "properties": {"file": {"type": "string", "format": "binary"}},
    }
}
JOB_UPLOAD: dict[str, Any] = {
    "type": "object",
    "required": ["model", "file"],
    "properties": {
        "model": {"type": "string"},
        "file": {"type": "string", "format": "binary"},
        "parameters": {"type": "string", "description": "A JSON object."},
    },
}
PAGED = [
    OpenApiParameter("limit", int, description="1 to 100; 20 unless told."),
    OpenApiParameter("cursor", str, description="`next_cursor` of the page before."),
]
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="`wait=30` answers when the job has ended, or after that time.",
)
JOB_FILTERS = [
    OpenApiParameter("state", str, enum=JOB_STATES, description="One, or several separated by commas."),
    OpenApiParameter("model", str, description="Name, or name@version."),
    OpenApiParameter("document", str, description="Id of the document."),
]
