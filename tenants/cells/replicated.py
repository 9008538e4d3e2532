"""Keeps what came from the control cell as it is there: it is changed in that cell, and by its export alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.conf import settings

from tenants.cells.models import ReplicatedPart
from tenants.core.errors import DomainError

Kind = ReplicatedPart.Kind
_applying: ContextVar[bool] = ContextVar("applying_an_export", default=False)


class ChangedElsewhere(DomainError):
    """The error for a change of something that another cell decides on."""

    code = "changed_in_control_cell"


@contextmanager
def applying_export() -> Iterator[None]:
    """Allow what the control cell's export requires."""
    token = _applying.set(True)
    try:
        yield
    finally:
        _applying.reset(token)


def replicated_part(kind: str, key: str) -> ReplicatedPart | None:
    """Return the part as it came from the control cell, or None if this cell decides on it. This is operator work."""
    cells = settings.MAAS_CELLS
    if not cells or cells.is_control:
        return None
    return ReplicatedPart.objects.filter(kind=kind, key=key).first()


def refuse_if_replicated(kind: str, key: str) -> None:
    """Refuse a change of a part that came from the control cell. This is operator work. Raises ChangedElsewhere."""
    part = None if _applying.get() else replicated_part(kind, key)
    if part is not None:
        raise ChangedElsewhere(f"{_NAMED[kind]} {key!r} cannot be changed in this cell. {where_to_change(part)}")


def where_to_change(part: ReplicatedPart) -> str:
    cell = settings.MAAS_CELLS.by_name.get(part.cell)
    at = f": {cell.url}/admin/" if cell else ""
    return f"It comes from the control cell {part.cell!r}. Change it there{at}"


_NAMED: dict[Any, str] = {Kind.PLAN: "The plan", Kind.MODEL: "The model"}
