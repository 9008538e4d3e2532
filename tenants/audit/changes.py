"""The changes of an action as they are recorded: the values before and after, and never a secret. Pure."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from tenants.request_log.entries import without_keys

LONGEST = 500
MAX_PARTS = 100
HIDDEN = "(not shown)"
Changes = dict[str, dict[str, Any]]
"""The changes by field: `{"before": …, "after": …}`."""


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    """Return only the values that differ. A name that is missing on one side has no value on that side."""
    names = dict.fromkeys((*before, *after))
    return {
        name: {"before": shown(name, before.get(name)), "after": shown(name, after.get(name))}
        for name in names
        if before.get(name) != after.get(name)
    }


def shown(name: str, value: Any) -> Any:
    if value is None:
        return None
    if "secret" in name or "password" in name:
        return HIDDEN
    match value:
        case bool() | int() | float():
            return value
        case datetime() | date():
            return value.isoformat()
        case list() | tuple() | set() | frozenset():
            parts = sorted(value, key=str) if isinstance(value, set | frozenset) else value
            return [shown(name, part) for part in list(parts)[:MAX_PARTS]]
    storable = str(value).replace("\0", "").encode("utf-8", "replace").decode()
    return without_keys(storable)[:LONGEST]
