"""Pieces of the OpenAPI document that several endpoints share."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.core.states import JOB_STATES
from tenants.api.schema import OPENAI_ERROR_BODY

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
        "priority": {"type": "string", "enum": list(NUMBERS), "default": DEFAULT},
        "webhook_url": {"type": "string", "description": "Told of the job's end."},
        "expires_after": {
            "type": "string",
            "description": "Seconds, or `15m`, `2h`, `1d`; see the JSON field.",
        },
    },
}
FILE_UPLOAD: dict[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "required": ["file", "purpose"],
        "properties": {
            "file": {"type": "string", "format": "binary"},
            "purpose": {"type": "string", "enum": ["batch"]},
            "expires_after[anchor]": {"type": "string", "enum": ["created_at"]},
            "expires_after[seconds]": {"type": "integer", "minimum": 3600, "maximum": 2592000},
        },
    }
}
ARCHIVE_UPLOAD: dict[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "required": ["file"],
        "properties": {
            "file": {"type": "string", "format": "binary", "description": "A ZIP file."},
            "model": {"type": "string", "description": "Makes a job of each document."},
            "parameters": {"type": "string", "description": "A JSON object."},
            "priority": {"type": "string", "enum": list(NUMBERS), "default": DEFAULT},
            "webhook_url": {"type": "string", "description": "Told of each job's end."},
        },
    }
}
NEW_BATCH: dict[str, Any] = {
    "application/json": {
        "type": "object",
        "required": ["input_file_id", "endpoint", "completion_window"],
        "properties": {
            "input_file_id": {"type": "string"},
            "endpoint": {"type": "string", "description": "`/v1/embeddings` or `/v2/models/MODEL/infer`."},
            "completion_window": {"type": "string", "enum": ["24h"]},
            "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
            "output_expires_after": {
                "type": "object",
                "properties": {
                    "anchor": {"type": "string", "enum": ["created_at"]},
                    "seconds": {"type": "integer", "minimum": 3600, "maximum": 2592000},
                },
            },
        },
    }
}
OPENAI_REFUSALS = {
    "4XX": OpenApiResponse(
        inline_serializer("OpenAIError", {"error": OPENAI_ERROR_BODY}),
        description="What was wrong, in OpenAI's shape.",
    )
}
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="`wait=30` answers when the job has ended, or after that time.",
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": "^[ -~]{1,255}$"},
    OpenApiParameter.HEADER,
    description="1 to 255 printable ASCII characters. Sent again within 24 hours with the same request, it is answered "
    "with what the first one made, and the header `Idempotent-Replay: true`.",
)
CANCEL_AFTER = OpenApiParameter(
    "Cancel-After",
    {"type": "string", "pattern": "^[0-9]{1,9}[smhdSMHD]?$"},
    OpenApiParameter.HEADER,
    description="Seconds, or `90s`, `15m`, `2h`, `1d`, at most 30 days: a job that is not done by then is canceled.",
)
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID",
    str,
    OpenApiParameter.HEADER,
    description="Of an event stream: the id of the last event seen. The stream goes on after it.",
)
STREAM = {
    (200, "text/event-stream"): OpenApiResponse(
        inline_serializer(
            "StreamedEvent",
            {
                "event": serializers.CharField(),
                "data": serializers.CharField(help_text="JSON."),
                "id": serializers.CharField(required=False, help_text="To go on after."),
                "retry": serializers.IntegerField(required=False, help_text="Milliseconds."),
            },
        ),
        description="Events like this one as they happen, for clients that ask with `Accept: text/event-stream`.",
    )
}
CACHE_CONTROL = OpenApiParameter(
    "Cache-Control",
    str,
    OpenApiParameter.HEADER,
    description="`no-cache` runs every page, also those whose results are known. `no-store` does too, and no result of "
    "the job answers again.",
)
_STATE = "|".join(JOB_STATES)
JOB_FILTERS = [
    OpenApiParameter(
        "state",
        {"type": "string", "pattern": f"^({_STATE})(,({_STATE}))*$"},
        description="One, or several separated by commas.",
    ),
    OpenApiParameter("model", str, description="Name, or name@version."),
    OpenApiParameter("document", str, description="Id of the document."),
    OpenApiParameter(
        "include", str, enum=["erased"], description="Also jobs that are erased, with what is left of them."
    ),
    OpenApiParameter(
        "q",
        {"type": "string", "minLength": 1},
        description='Words of the name or of a page, as in `acme "total due" -draft`. Finds the 1,000 newest jobs.',
    ),
]


def openai_list_of(name: str, item: Any) -> Any:
    return inline_serializer(
        name,
        {
            "object": serializers.CharField(),
            "data": item,
            "first_id": serializers.CharField(allow_null=True),
            "last_id": serializers.CharField(allow_null=True),
            "has_more": serializers.BooleanField(),
        },
    )
