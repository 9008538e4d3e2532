"""A job that was found, and where."""

from dataclasses import dataclass
from uuid import UUID

from jobs.search.excerpts import Part

MOST_HITS = 1_000


@dataclass(frozen=True, slots=True)
class Hit:
    job_id: UUID
    page_number: int | None
    """The first page that has everything which was asked for; None when the document's name has."""
    excerpt: tuple[Part, ...] = ()
    """Filled by `excerpts`: of a list of many hits few are shown."""
