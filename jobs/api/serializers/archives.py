"""Serializes the entries of archives and the attachments of emails."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.errors import ErrorSerializer, error_json
from jobs.core import archive_states
from jobs.core.models.archives import ArchiveEntry


class ArchiveEntrySerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    name = serializers.CharField()
    size_bytes = serializers.IntegerField(help_text="Unpacked size, as the archive says.")
    state = serializers.ChoiceField(archive_states.ENTRY_STATES)
    document = serializers.UUIDField(allow_null=True)
    job = serializers.UUIDField(allow_null=True)
    skipped = serializers.CharField(
        allow_null=True,
        help_text="Why the entry was skipped: `folder`, `made_by_system`, `signature` or `inline_picture`.",
    )
    error = ErrorSerializer(allow_null=True)


def entry_json(entry: ArchiveEntry) -> dict[str, object]:
    skipped = entry.state == archive_states.SKIPPED
    return {
        "number": entry.number,
        "name": entry.name,
        "size_bytes": entry.size_bytes,
        "state": entry.state,
        "document": entry.document_id,
        "job": entry.job_id,
        "skipped": entry.error_code if skipped else None,
        "error": None if skipped else error_json(entry.error_code, entry.error_detail),
    }
