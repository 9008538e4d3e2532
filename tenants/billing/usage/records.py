"""Reads the single records behind the sums, oldest first, inside a unit of work."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from tenants.billing.usage.models import UsageRecord
from tenants.billing.usage.usage_query import Only, UsageQuery

Place = tuple[datetime, UUID]
"""The position of a record in the list."""
PAGE, CACHE, CALL, BATCH_LINE = "page", "cache", "call", "batch_line"


def is_cached(record: UsageRecord) -> bool:
    """Return whether the record was a cache hit. Records from before `cached` existed show it by the kind of their
    source.
    """
    return record.cached or record.source_kind == CACHE


def records(asked: UsageQuery, *, limit: int, after: Place | None = None) -> Sequence[UsageRecord]:
    found = UsageRecord.objects.filter(_of(asked.only), created_at__gte=asked.start, created_at__lt=asked.end)
    if after is not None:
        at, last = after
        # The index scan begins at `created_at__gte`. The other condition separates records of the same moment.
        found = found.filter(Q(created_at__gt=at) | Q(created_at=at, id__gt=last), created_at__gte=at)
    return list(found.order_by("created_at", "id")[:limit])


def _of(only: Only) -> Q:
    wanted = Q()
    if only.models:
        wanted &= Q(model__in=only.models)
    if only.keys:
        of_keys = Q(key_id__in=[key for key in only.keys if key is not None])
        wanted &= of_keys | Q(key_id=None) if None in only.keys else of_keys
    if only.livemode is not None:
        wanted &= Q(livemode=only.livemode)
    return wanted
