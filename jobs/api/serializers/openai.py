"""Serializes files, batches and lists of them in OpenAI's format, for responses and the description of the API."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from jobs.batches import states
from jobs.batches.checking import Fault
from jobs.batches.ids import BATCH, FILE, read_id, shown
from jobs.batches.models import Batch, StoredFile
from tenants.api.pagination import limit_of
from tenants.core.errors import InvalidRequest


class FileObject(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField(help_text="Always `file`.")
    bytes = serializers.IntegerField()
    created_at = serializers.IntegerField(help_text="Unix time in seconds, like all times of this object.")
    expires_at = serializers.IntegerField(allow_null=True)
    filename = serializers.CharField()
    purpose = serializers.CharField(help_text="`batch` for input files, `batch_output` for results.")
    status = serializers.CharField(help_text="Always `processed`.")
    status_details = serializers.CharField(allow_null=True)


class DeletedFile(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField(help_text="Always `file`.")
    deleted = serializers.BooleanField()


class BatchFault(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()
    param = serializers.CharField(allow_null=True)
    line = serializers.IntegerField(allow_null=True)


class BatchFaults(serializers.Serializer[Any]):
    object = serializers.CharField(help_text="Always `list`.")
    data = BatchFault(many=True)  # type: ignore[assignment]  # DRF's own attribute of this name is for instances


class BatchCounts(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    completed = serializers.IntegerField()
    failed = serializers.IntegerField()


class CachedTokens(serializers.Serializer[Any]):
    cached_tokens = serializers.IntegerField()


class ReasoningTokens(serializers.Serializer[Any]):
    reasoning_tokens = serializers.IntegerField()


class BatchUsage(serializers.Serializer[Any]):
    input_tokens = serializers.IntegerField()
    input_tokens_details = CachedTokens()
    output_tokens = serializers.IntegerField()
    output_tokens_details = ReasoningTokens()
    total_tokens = serializers.IntegerField()


class BatchObject(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField(help_text="Always `batch`.")
    endpoint = serializers.CharField()
    model = serializers.CharField(
        allow_null=True, help_text="Model name and version. Null until the input file is checked."
    )
    errors = BatchFaults(allow_null=True)  # type: ignore[assignment]  # as above
    input_file_id = serializers.CharField()
    completion_window = serializers.CharField()
    status = serializers.ChoiceField(choices=states.STATUSES)
    output_file_id = serializers.CharField(allow_null=True)
    error_file_id = serializers.CharField(allow_null=True)
    created_at = serializers.IntegerField()
    in_progress_at = serializers.IntegerField(allow_null=True)
    expires_at = serializers.IntegerField()
    finalizing_at = serializers.IntegerField(allow_null=True)
    completed_at = serializers.IntegerField(allow_null=True)
    failed_at = serializers.IntegerField(allow_null=True)
    expired_at = serializers.IntegerField(allow_null=True)
    cancelling_at = serializers.IntegerField(allow_null=True)
    cancelled_at = serializers.IntegerField(allow_null=True)
    request_counts = BatchCounts()
    usage = BatchUsage()
    metadata = serializers.DictField(child=serializers.CharField(), allow_null=True)


def file_object(stored: StoredFile) -> dict[str, object]:
    return {
        "id": shown(FILE, stored.id),
        "object": "file",
        "bytes": stored.size_bytes,
        "created_at": _unix(stored.created_at),
        "expires_at": _unix(stored.expires_at),
        "filename": stored.name,
        "purpose": stored.purpose,
        "status": "processed",
        "status_details": None,
    }


def batch_object(batch: Batch) -> dict[str, object]:
    """Describe the batch. Its model version and the model of that version must be loaded."""
    version = batch.model_version
    ended = {status: _unix(batch.finished_at) for status in states.STATUSES if batch.status == status}
    return {
        "id": shown(BATCH, batch.id),
        "object": "batch",
        "endpoint": batch.endpoint,
        "model": None if version is None else version.key,
        "errors": _faults(batch.errors),
        "input_file_id": shown(FILE, batch.input_file_id),
        "completion_window": "24h",
        "status": batch.status,
        "output_file_id": None if batch.output_file_id is None else shown(FILE, batch.output_file_id),
        "error_file_id": None if batch.error_file_id is None else shown(FILE, batch.error_file_id),
        "created_at": _unix(batch.created_at),
        "in_progress_at": _unix(batch.in_progress_at),
        "expires_at": _unix(batch.expires_at),
        "finalizing_at": _unix(batch.finalizing_at),
        "completed_at": ended.get(states.COMPLETED),
        "failed_at": ended.get(states.FAILED),
        "expired_at": ended.get(states.EXPIRED),
        "cancelling_at": _unix(batch.cancelling_at),
        "cancelled_at": ended.get(states.CANCELLED),
        "request_counts": {
            "total": batch.lines_total,
            "completed": batch.lines_completed,
            "failed": batch.lines_failed,
        },
        "usage": _usage(batch.tokens),
        "metadata": batch.metadata,
    }


def _faults(errors: list[Fault] | None) -> Mapping[str, object] | None:
    return None if errors is None else {"object": "list", "data": errors}


def _usage(tokens: int) -> dict[str, object]:
    """Describe the usage. The models here read tokens and write none."""
    return {
        "input_tokens": tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens,
    }


def _unix(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())


NEWEST_FIRST, OLDEST_FIRST = "desc", "asc"


def openai_listing(
    request: Request,
    rows: "QuerySet[Any]",
    shape: Callable[[Any], object],
    *,
    prefix: str,
    default: int,
    most: int,
    order: str = NEWEST_FIRST,
) -> dict[str, object]:
    """Return one part of the list. Ids grow with time."""
    limit = limit_of(request, default, most)
    after = _after(request, prefix)
    if after is not None:
        rows = rows.filter(id__lt=after) if order == NEWEST_FIRST else rows.filter(id__gt=after)
    found = list(rows.order_by("-id" if order == NEWEST_FIRST else "id")[: limit + 1])
    page = found[:limit]
    return {
        "object": "list",
        "data": [shape(row) for row in page],
        "first_id": shown(prefix, page[0].id) if page else None,
        "last_id": shown(prefix, page[-1].id) if page else None,
        "has_more": len(found) > limit,
    }


def _after(request: Request, prefix: str) -> UUID | None:
    given = request.query_params.get("after")
    if given is None:
        return None
    after = read_id(prefix, given)
    if after is None:
        raise InvalidRequest(f"'after' is {given[:60]!r}, which is not an ID of this list.", extra={"param": "after"})
    return after
