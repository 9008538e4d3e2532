"""Cursors of a list of sums: the position of its last row as an opaque text."""

import base64
import json
from collections.abc import Sequence
from datetime import datetime

from tenants.billing.usage.usage_query import UsageQuery
from tenants.core.errors import DomainError

LONGEST = 2_000


class BadCursor(DomainError):
    code = "invalid_cursor"


def write_cursor(asked: UsageQuery, at: datetime, place: Sequence[str]) -> str:
    written = json.dumps([_kind(asked), at.isoformat(), *place], separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def read_cursor(asked: UsageQuery, text: str) -> tuple[datetime, list[str]]:
    """Decode a cursor. Raise BadCursor if it is invalid or belongs to another query."""
    try:
        if len(text) > LONGEST:
            raise ValueError
        kind, at, *place = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        moment = datetime.fromisoformat(at)
        whole = moment.tzinfo is not None and all(isinstance(one, str) and "\0" not in one for one in place)
    except (ValueError, TypeError):
        whole = False
    if (
        not whole
        or kind != _kind(asked)
        or not asked.start <= moment < asked.end
        or len(place) != len(asked.group_by)
    ):
        raise BadCursor(
            f"{text[:60]!r} is not a cursor of this list. Use next_cursor of the previous page with the same "
            "from, to, bucket and group_by."
        )
    return moment, place


def _kind(asked: UsageQuery) -> str:
    return f"{asked.bucket}:{','.join(asked.group_by)}"
