"""Reads the corrections that count. Call these functions inside a unit of work."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from jobs.core.document_class import DOCUMENT
from jobs.core.models import Job
from jobs.core.models.corrections import Correction

Corrections = Mapping[int, Sequence[Correction]]
"""The corrections of each page that has any, by page number."""


def corrections_of(job: Job, first: int = DOCUMENT, last: int | None = None) -> Corrections:
    """Return the corrections of pages from `first` to `last`, in the order of the places."""
    rows = job.corrections.filter(ended_at=None, number__gte=first)
    if last is not None:
        rows = rows.filter(number__lte=last)
    found = defaultdict[int, list[Correction]](list)
    for row in rows.order_by("number", "kind", "table", "index"):
        found[row.number].append(row)
    return found


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
        "index": None if row.kind == Correction.Kind.CLASS else row.index,
        "original": row.original,
        "corrected": row.corrected,
        "author": row.author,
        "created_at": row.created_at,
    }
