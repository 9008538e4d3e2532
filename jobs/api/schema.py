"""Pieces of the OpenAPI document that several endpoints share."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.core.reading_flags import LONGEST_LABEL
from jobs.core.states import JOB_STATES
from tenants.api.schema import OPENAI_ERROR_BODY

ATTACHMENTS: dict[str, Any] = {
    "type": "string",
    "enum": ["true", "false"],
    "default": "true",
    "description": "Whether the attachments of an email become documents, or jobs, of their own.",
}
PASSWORD: dict[str, Any] = {
    "type": "string",
    "description": "Password of an encrypted PDF. It is used once and neither logged nor stored.",
}
CLASS_SET: dict[str, Any] = {
    "type": "string",
    "description": "Your class set that classes the documents. Default: your default set; empty: none.",
}
UPLOAD: dict[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "required": ["file"],
        "properties": {
            "file": {"type": "string", "format": "binary"},
            "attachments": ATTACHMENTS,
            "password": PASSWORD,
        },
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
        "webhook_url": {"type": "string", "description": "URL that is notified when the job ends."},
        "expires_after": {
            "type": "string",
            "description": "Seconds, or `15m`, `2h`, `1d`. A job that has not ended by then ends as `expired`.",
        },
        "class_set": CLASS_SET,
        "attachments": ATTACHMENTS,
        "password": PASSWORD,
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
            "model": {"type": "string", "description": "If given, a job is created for each document."},
            "parameters": {"type": "string", "description": "A JSON object."},
            "priority": {"type": "string", "enum": list(NUMBERS), "default": DEFAULT},
            "webhook_url": {"type": "string", "description": "URL that is notified when each job ends."},
            "class_set": CLASS_SET,
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
        description="Error in OpenAI's format.",
    )
}
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="`wait=30`: respond when the job has ended, or after 30 seconds.",
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": "^[ -~]{1,255}$"},
    OpenApiParameter.HEADER,
    description="1 to 255 printable ASCII characters. If the same request is repeated within 24 hours, nothing new is "
    "created: the response has the result of the first request and the header `Idempotent-Replay: true`.",
)
CANCEL_AFTER = OpenApiParameter(
    "Cancel-After",
    {"type": "string", "pattern": "^[0-9]{1,9}[smhdSMHD]?$"},
    OpenApiParameter.HEADER,
    description="Seconds, or `90s`, `15m`, `2h`, `1d`, at most 30 days. A job that has not ended by then is canceled.",
)
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID",
    str,
    OpenApiParameter.HEADER,
    description="For event streams: ID of the last event received. The stream continues after it.",
)
STREAM = {
    (200, "text/event-stream"): OpenApiResponse(
        inline_serializer(
            "StreamedEvent",
            {
                "event": serializers.CharField(),
                "data": serializers.CharField(help_text="JSON text."),
                "id": serializers.CharField(required=False, help_text="Send it as `Last-Event-ID` to continue."),
                "retry": serializers.IntegerField(required=False, help_text="Milliseconds until a reconnect."),
            },
        ),
        description="Events as they occur, for clients that send `Accept: text/event-stream`.",
    )
}
CACHE_CONTROL = OpenApiParameter(
    "Cache-Control",
    str,
    OpenApiParameter.HEADER,
    description="`no-cache`: run every page, even if the cache has its result. `no-store`: also store no result of the "
    "job in the cache.",
)
_STATE = "|".join(JOB_STATES)
FIELD_FILTER = OpenApiParameter(
    "field",
    {"type": "object", "additionalProperties": {"type": "string"}},
    style="form",
    explode=True,
    description="Filters by fields: `field.NAME=VALUE`, or `field.NAME.contains`, `.from` and `.to` for days, `.min` "
    "and `.max` for numbers. Such as `field.total.min=100&field.issue_date.from=2026-01-01`.",
)
JOB_FILTERS = [
    OpenApiParameter(
        "state",
        {"type": "string", "pattern": f"^({_STATE})(,({_STATE}))*$"},
        description="One state, or several separated by commas.",
    ),
    OpenApiParameter("model", str, description="Model name, or `name@version`."),
    OpenApiParameter("document", str, description="Document ID."),
    OpenApiParameter(
        "needs_review",
        str,
        enum=["true", "false"],
        description="`true`: jobs with pages that a person should check. `false`: all others.",
    ),
    OpenApiParameter(
        "class",
        {"type": "string", "minLength": 1, "maxLength": LONGEST_LABEL},
        description="Class of the document, such as `invoice`, or `unsure`.",
    ),
    FIELD_FILTER,
    OpenApiParameter("include", str, enum=["erased"], description="Include erased jobs, with the fields that remain."),
    OpenApiParameter(
        "q",
        {"type": "string", "minLength": 1},
        description='Words in the name or on a page, such as `acme "total due" -draft`. Finds at most the '
        "1,000 newest jobs.",
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
