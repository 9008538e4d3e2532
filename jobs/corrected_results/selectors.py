"""Reads the corrections that count. Call these functions inside a unit of work."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from jobs.core.document_class import DOCUMENT
from jobs.core.models import Job
from jobs.core.models.corrections import Correction
from jobs.corrected_results.applying import corrected_result, with_corrected_cells

Corrections = Mapping[int, Sequence[Correction]]
"""The corrections of each page that has any, by page number."""
_OF_TEXT = (Correction.Kind.LINE, Correction.Kind.CELL)


def corrections_of(job: Job, first: int = DOCUMENT, last: int | None = None) -> Corrections:
    """Return the corrections of pages from `first` to `last`, in the order of the places."""
    rows = job.corrections.filter(ended_at=None, number__gte=first)
    return _by_number(rows if last is None else rows.filter(number__lte=last))


def corrections_at(job: Job, *numbers: int) -> Corrections:
    """Return the corrections of these pages, or of the whole document for page number 0."""
    return _by_number(job.corrections.filter(ended_at=None, number__in=numbers))


def corrections_of_pages(job_id: UUID, last: int) -> Corrections:
    """Return the corrections of lines and cells of the pages up to `last`."""
    of_pages = Correction.objects.filter(job_id=job_id, kind__in=_OF_TEXT, number__lte=last, ended_at=None)
    return _by_number(of_pages)


def _by_number(rows: "QuerySet[Correction]") -> Corrections:
    found = defaultdict[int, list[Correction]](list)
    for row in rows.order_by("number", "kind", "table", "index", "name"):
        found[row.number].append(row)
    return found


def result_with(corrections: Sequence[Correction], result: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the result of a page with its corrected lines and cells."""
    with_lines = corrected_result(result or {}, corrected_lines(corrections))
    return with_corrected_cells(with_lines, corrected_cells(corrections))


def corrected_lines(corrections: Sequence[Correction]) -> dict[int, str]:
    return {row.index: row.corrected for row in corrections if row.kind == Correction.Kind.LINE}


def corrected_cells(corrections: Sequence[Correction]) -> dict[tuple[int, int], str]:
    """Return the corrected texts of cells by the positions of their table and of themselves in it."""
    return {(row.table, row.index): row.corrected for row in corrections if row.kind == Correction.Kind.CELL}


def corrected_class(corrections: Sequence[Correction]) -> str:
    return next((row.corrected for row in corrections if row.kind == Correction.Kind.CLASS), "")


def correction_json(row: Correction) -> dict[str, object]:
    return {
        "kind": row.kind,
        "table": row.table if row.kind == Correction.Kind.CELL else None,
        "index": row.index if row.kind in _OF_TEXT or (row.details or {}).get("index") is not None else None,
        "name": row.name or None,
        "original": row.original,
        "corrected": row.corrected,
        "author": row.author,
        "created_at": row.created_at,
    }
