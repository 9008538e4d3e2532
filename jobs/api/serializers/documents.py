"""Serializes documents."""

from rest_framework import serializers

from jobs.api.serializers.archives import ArchiveEntrySerializer
from jobs.core.models import Document


class DocumentSerializer(serializers.ModelSerializer[Document]):
    object = serializers.CharField(read_only=True, default="document")
    url = serializers.SerializerMethodField()

    class Meta:
        model = Document
        fields: tuple[str, ...] = (
            "id",
            "object",
            "name",
            "kind",
            "content_type",
            "size_bytes",
            "sha256",
            "pages_total",
            "attachments_total",
            "livemode",
            "created_at",
            "url",
        )

    def get_url(self, document: Document) -> str:
        return f"/v1/documents/{document.id}"


class ShownDocumentSerializer(DocumentSerializer):
    retained_until = serializers.DateTimeField(
        allow_null=True,
        help_text="When the document will be erased, unless it is used again before. Null: never.",
    )
    attachments = ArchiveEntrySerializer(
        many=True, help_text="Attachments of an email, as they were last taken. Empty for other files."
    )
    attachment_of = serializers.ListField(
        child=serializers.UUIDField(), help_text="IDs of the emails that the document is attached to."
    )

    class Meta(DocumentSerializer.Meta):
        fields = (*DocumentSerializer.Meta.fields, "retained_until", "attachments", "attachment_of")


class StoredDocumentSerializer(DocumentSerializer):
    duplicate = serializers.BooleanField(help_text="True if the same bytes were already stored.")

    class Meta(DocumentSerializer.Meta):
        fields = (*DocumentSerializer.Meta.fields, "duplicate")
