"""Lists in pages that stay stable while rows arrive: newest first, from after the last id of the page before."""

from collections.abc import Callable
from typing import Any

from django.db.models import Model, QuerySet
from rest_framework.request import Request

from tenants.core.errors import InvalidRequest
from tenants.core.ids import as_uuid

DEFAULT, MOST = 20, 100


def limit_of(request: Request, default: int = DEFAULT, most: int = MOST) -> int:
    raw = request.query_params.get("limit", str(default))
    if not raw.isdecimal() or len(raw) > 9 or not 1 <= int(raw) <= most:
        raise InvalidRequest(f"limit={raw[:20]!r} must be a whole number from 1 to {most}.")
    return int(raw)


def number_of(request: Request, name: str) -> int:
    raw = request.query_params.get(name, "0")
    if not raw.isdecimal() or len(raw) > 9:
        raise InvalidRequest(f"{name}={raw[:20]!r} must be a whole number.")
    return int(raw)


def listing(request: Request, rows: "QuerySet[Any]", shape: Callable[[Any], object]) -> dict[str, object]:
    """Return a page of a list. `rows` are ordered by -id, and ids grow with time."""
    limit = limit_of(request)
    cursor = request.query_params.get("cursor")
    if cursor is not None:
        last = as_uuid(cursor)
        if last is None:
            raise InvalidRequest(f"{cursor[:60]!r} is not a cursor of this list.", code="invalid_cursor")
        rows = rows.filter(id__lt=last)
    found: list[Model] = list(rows[: limit + 1])
    shown = found[:limit]
    more = len(found) > limit
    return {
        "object": "list",
        "data": [shape(row) for row in shown],
        "has_more": more,
        "next_cursor": str(shown[-1].pk) if more else None,
    }
