"""The files in which a job can be downloaded. This module makes no queries."""

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.core.models import Document, Job
from jobs.results.exports.services import MAX_PDF_PAGES

MAX_PARTS = 10


@dataclass(frozen=True)
class Download:
    words: str
    url: str
    built: bool = False
    """The file takes a moment to make."""


def downloads(job: Job, number: int) -> Sequence[Download]:
    """Return the downloads of a job. `number` is the page that is open."""
    address = f"/v1/jobs/{job.id}/result"
    always = [
        Download("Text", f"{address}.txt"),
        Download("Markdown", f"{address}.md"),
        Download("JSON", f"{address}.json"),
    ]
    return always + [
        Download(words, f"{address}.pdf{part}", built=True) for words, part in _pdf_parts(job, number)
    ]


def _pdf_parts(job: Job, number: int) -> list[tuple[str, str]]:
    """Return the parts of the searchable PDF. A long document has several parts. A very long document has too many to
    show, so only the part with the open page is returned.
    """
    document = job.document
    if document is None or document.deleted_at is not None or document.kind == Document.Kind.TEXT:
        return []
    total = job.pages_total
    if total <= MAX_PDF_PAGES:
        return [("Searchable PDF", "")]
    starts = list(range(1, total + 1, MAX_PDF_PAGES))
    if len(starts) > MAX_PARTS:
        starts = [starts[(number - 1) // MAX_PDF_PAGES]]
    ends = [min(start + MAX_PDF_PAGES - 1, total) for start in starts]
    return [
        (f"Searchable PDF, pages {start} to {end}", f"?pages={start}-{end}")
        for start, end in zip(starts, ends, strict=True)
    ]
