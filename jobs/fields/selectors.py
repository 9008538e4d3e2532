"""Reads the corrections of fields that count. Call these functions inside a unit of work."""

from uuid import UUID

from jobs.core.models.corrections import Correction
from jobs.fields.corrected import CorrectedField


def field_corrections(job_id: UUID) -> list[CorrectedField]:
    rows = Correction.objects.filter(job_id=job_id, kind=Correction.Kind.FIELD, ended_at=None)
    return [_corrected(row) for row in rows.order_by("id")]


def _corrected(row: Correction) -> CorrectedField:
    details = row.details or {}
    return CorrectedField(row.name, row.corrected, details["type"], details["page"], details["box"], own=details["own"])
