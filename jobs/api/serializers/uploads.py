"""Serializes resumable uploads for API clients."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from jobs.api.serializers.errors import ErrorSerializer
from jobs.uploads.decisions import state_of
from jobs.uploads.models import ResumableUpload
from jobs.uploads.selectors import seen


class UploadSerializer(serializers.ModelSerializer[ResumableUpload]):
    """A resumable upload."""

    # The upload must come from jobs/uploads/selectors.py, which adds values that depend on the clock.

    object = serializers.CharField(read_only=True, default="upload")
    state = serializers.SerializerMethodField()
    offset = serializers.IntegerField(source="offset_bytes", help_text="Number of bytes stored.")
    size = serializers.IntegerField(source="size_bytes", help_text="Size of the file in bytes.")
    document = serializers.UUIDField(
        source="document_id", allow_null=True, help_text="Document ID. Null until the state is `ready`."
    )
    error = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField()

    class Meta:
        model = ResumableUpload
        fields = (
            "id",
            "object",
            "state",
            "purpose",
            "name",
            "offset",
            "size",
            "document",
            "duplicate",
            "error",
            "livemode",
            "expires_at",
            "created_at",
            "url",
        )

    @extend_schema_field(
        {"type": "string", "enum": ["receiving", "checking", "ready", "rejected", "expired", "terminated"]}
    )
    def get_state(self, upload: ResumableUpload) -> str:
        return state_of(seen(upload))

    @extend_schema_field(ErrorSerializer(allow_null=True))
    def get_error(self, upload: ResumableUpload) -> dict[str, Any] | None:
        return {"code": upload.error_code, "detail": upload.error_detail} if upload.error_code else None

    def get_url(self, upload: ResumableUpload) -> str:
        return f"/v1/uploads/{upload.id}"
