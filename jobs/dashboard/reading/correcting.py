"""The corrections of a page or of the document's fields, as they are listed there. This module makes no queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from jobs.core.models import Correction, Job
from jobs.dashboard.reading.opinions import kind_title
from jobs.fields.names import title_of


@dataclass(frozen=True)
class CorrectionView:
    place: str
    original: str
    corrected: str
    author: str
    created_at: datetime
    url: str
    """The address that a DELETE request undoes the correction at."""

    @property
    def confirmed(self) -> bool:
        """Return whether a person found that the model was right."""
        return self.original == self.corrected


def correction_views(job: Job, corrections: Sequence[Correction]) -> list[CorrectionView]:
    return [_view(job, row) for row in corrections]


def _view(job: Job, row: Correction) -> CorrectionView:
    page = f"/v1/jobs/{job.id}/pages/{row.number}"
    if row.kind == Correction.Kind.CLASS:
        original, corrected = kind_title(row.original), kind_title(row.corrected)
        return CorrectionView("Class", original, corrected, row.author, row.created_at, f"{page}/class")
    if row.kind == Correction.Kind.CELL:
        place, url = f"Table {row.table + 1}, cell {row.index + 1}", f"{page}/tables/{row.table}/cells/{row.index}"
        return CorrectionView(place, row.original, row.corrected, row.author, row.created_at, url)
    if row.kind == Correction.Kind.FIELD:
        url, title = f"/v1/jobs/{job.id}/fields/{row.name}", title_of(row.name)
        if (row.details or {}).get("index") is not None:
            url, title = f"{url}?index={row.index}", f"{title} {row.index + 1}"
        return CorrectionView(title, row.original, row.corrected, row.author, row.created_at, url)
    url = f"{page}/lines/{row.index}"
    return CorrectionView(f"Line {row.index + 1}", row.original, row.corrected, row.author, row.created_at, url)
