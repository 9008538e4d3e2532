"""Writes the corrections of a place, and undoes them. The last one counts; earlier ones are kept for a while."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from jobs.core.document_class import DOCUMENT
from jobs.core.models import Job
from jobs.core.models.corrections import Correction
from tenants.audit.acting import acting
from tenants.audit.services import record
from tenants.core.errors import NotFound

LONGEST_AUTHOR = 254
MAX_KEPT = 20
"""The most earlier corrections of a place that are kept."""


@dataclass(frozen=True)
class Place:
    """The place of a correction: a line, a cell, a field, or the class of a page or of the whole document."""

    job: Job
    number: int
    kind: Correction.Kind
    index: int = 0
    table: int = 0
    name: str = ""

    @property
    def rows(self) -> "QuerySet[Correction]":
        return self.job.corrections.filter(
            number=self.number, kind=self.kind, table=self.table, index=self.index, name=self.name
        )

    def __str__(self) -> str:
        whole = "document" if self.number == DOCUMENT else f"page {self.number}"
        part = {
            Correction.Kind.CELL: f"table {self.table}, cell {self.index}",
            Correction.Kind.CLASS: "class",
            Correction.Kind.FIELD: f"field {self.name}{f', value {self.index}' if self.index else ''}",
            Correction.Kind.LINE: f"line {self.index}",
        }
        return f"{whole}, {part[self.kind]}"


def write_correction(place: Place, original: str, corrected: str, details: dict[str, Any] | None = None) -> Correction:
    """Write a correction in the place of an earlier one. The job's row is locked, so the last writer wins."""
    place.rows.filter(ended_at=None).update(ended_at=Now())
    old = place.rows.order_by("-id").values_list("id", flat=True)[MAX_KEPT - 1 :]
    place.rows.filter(id__in=list(old)).delete()
    made = Correction.objects.create(
        tenant_id=place.job.tenant_id,
        job=place.job,
        number=place.number,
        kind=place.kind,
        table=place.table,
        index=place.index,
        name=place.name,
        details=details,
        original=original,
        corrected=corrected,
        author=acting().name[:LONGEST_AUTHOR],
    )
    _record(place, "correction.made")
    made.refresh_from_db(fields=["created_at"])
    return made


def undo_correction(place: Place) -> None:
    if not end_correction(place):
        raise NotFound(f"This {place.kind} has no correction.")


def end_correction(place: Place) -> bool:
    """Undo a correction, and return whether there was one."""
    ended = place.rows.filter(ended_at=None).update(ended_at=Now()) > 0
    if ended:
        _record(place, "correction.undone")
    return ended


def _record(place: Place, action: str) -> None:
    """Record the place only: the audit log outlives the text, which may be erased."""
    record(tenant_id=place.job.tenant_id, action=action, subject_id=place.job.id, note=str(place))
