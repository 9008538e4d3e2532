"""Reads the corrections of fields that count. Call these functions inside a unit of work."""

from uuid import UUID

from django.db.models import F

from jobs.core.models.corrections import Correction
from jobs.fields.corrected import CorrectedField
from jobs.fields.lines import CorrectedLine


def field_corrections(job_id: UUID) -> list[CorrectedField | CorrectedLine]:
    """Return the corrections of fields, and those of lines, in which values of fields may stand."""
    rows = Correction.objects.filter(job_id=job_id, ended_at=None)
    kinds = (Correction.Kind.FIELD, Correction.Kind.LINE)
    changed = rows.filter(kind__in=kinds).exclude(kind=Correction.Kind.LINE, corrected=F("original"))
    return [_corrected(row) for row in changed.order_by("id")]


def _corrected(row: Correction) -> CorrectedField | CorrectedLine:
    if row.kind == Correction.Kind.LINE:
        return CorrectedLine(row.number, row.original, row.corrected)
    details = row.details or {}
    return CorrectedField(
        row.name,
        row.corrected,
        details["type"],
        details["page"],
        details["box"],
        own=details["own"],
        index=details.get("index"),
        original=row.original,
    )
