"""Lists that are continued as OpenAI's clients do: after the last id of the previous part."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request

from jobs.batches.ids import read_id, shown
from tenants.api.pagination import limit_of
from tenants.core.errors import InvalidRequest

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
        raise InvalidRequest(
            f"'after' is {given[:60]!r}, which is not an ID of this list.", extra={"param": "after"}
        )
    return after
