"""Serializes resumable uploads for API clients."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from jobs.api.serializers import ErrorSerializer
from jobs.uploads.decisions import state_of
from jobs.uploads.direct import layout_of
from jobs.uploads.layout import MAX_URLS
from jobs.uploads.models import ResumableUpload
from jobs.uploads.selectors import seen


class PartsSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    bytes = serializers.IntegerField(help_text="Of each but the last.")


class StoredPartSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The first is 1.")
    bytes = serializers.IntegerField(source="size_bytes")


class PartUrlSerializer(StoredPartSerializer):
    url = serializers.CharField(help_text="Takes a PUT of exactly so many bytes, until `expires_at`.")


class NewDirectUploadSerializer(serializers.Serializer[Any]):
    direct = serializers.BooleanField(help_text="true")
    name = serializers.CharField(required=False)
    size = serializers.IntegerField()
    content_type = serializers.CharField(required=False)


class PartNumbersSerializer(serializers.Serializer[Any]):
    numbers = serializers.ListField(child=serializers.IntegerField(), max_length=MAX_URLS)


class UploadSerializer(serializers.ModelSerializer[ResumableUpload]):
    """A resumable upload. Its row comes from jobs/uploads/selectors.py."""

    object = serializers.CharField(read_only=True, default="upload")
    state = serializers.SerializerMethodField()
    offset = serializers.IntegerField(source="offset_bytes", help_text="So many bytes are stored.")
    size = serializers.IntegerField(source="size_bytes", help_text="So many bytes the file has.")
    document = serializers.UUIDField(source="document_id", allow_null=True, help_text="Once it is `ready`.")
    error = serializers.SerializerMethodField()
    parts = serializers.SerializerMethodField(
        help_text="Where its bytes go to the storage itself: how many parts, and of how many bytes; else null."
    )
    url = serializers.SerializerMethodField()

    class Meta:
        model = ResumableUpload
        fields = (
            "id",
            "object",
            "state",
            "name",
            "offset",
            "size",
            "document",
            "duplicate",
            "error",
            "parts",
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

    @extend_schema_field(PartsSerializer(allow_null=True))
    def get_parts(self, upload: ResumableUpload) -> dict[str, int] | None:
        layout = layout_of(upload) if upload.direct else None
        return {"total": layout.count, "bytes": layout.part_bytes} if layout else None

    def get_url(self, upload: ResumableUpload) -> str:
        return f"/v1/uploads/{upload.id}"
