"""Pages of plans and models that came from the control cell: they say so, and where to change them."""

from typing import Any

from django.http import HttpRequest

from tenants.cells.models import ReplicatedPart
from tenants.cells.replicated import replicated_part, where_to_change

_KNOWN = "_replicated_part"


def part_of(row: Any, kind: str, key: str) -> ReplicatedPart | None:
    """Return the part as it came from the control cell, or None. It is looked up once for each row."""
    if not hasattr(row, _KNOWN):
        setattr(row, _KNOWN, replicated_part(kind, key))
    part: ReplicatedPart | None = getattr(row, _KNOWN)
    return part


class ReplicatedPages:
    """Pages whose rows may have come from the control cell."""

    def replicated(self, row: Any) -> ReplicatedPart | None:
        """Return the part that the row is, or belongs to."""
        raise NotImplementedError

    def notice(self, row: Any) -> str:
        part = self.replicated(row)
        return f"{where_to_change(part)}" if part else ""


class ReadOnlyIfReplicated(ReplicatedPages):
    """Pages on which nothing of such a row can be changed."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed: bool = super().has_change_permission(request, obj)  # type: ignore[misc]
        return allowed and (obj is None or self.replicated(obj) is None)
