"""Serializes the events of jobs."""

from typing import Any

from rest_framework import serializers

from jobs.documents.job_selectors import EventRow


class EventSerializer(serializers.Serializer[Any]):
    job = serializers.UUIDField()
    seq = serializers.IntegerField()
    type = serializers.CharField()
    data = serializers.DictField()  # type: ignore[assignment]  # the name is the protocol's
    created_at = serializers.DateTimeField()


def event_json(row: EventRow) -> dict[str, object]:
    return {
        "job": row.job_id,
        "seq": row.seq,
        "type": row.type,
        "data": row.data,
        "created_at": row.created_at,
    }
