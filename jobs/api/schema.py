"""Pieces of the OpenAPI document that several endpoints share."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from jobs.states import JOB_STATES

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
