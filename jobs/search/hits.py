"""A job that was found, and the page on which it was found."""

from dataclasses import dataclass
from uuid import UUID

from jobs.search.excerpts import Part

MAX_HITS = 1_000


@dataclass(frozen=True, slots=True)
class Hit:
    job_id: UUID
    page_number: int | None
    """The first page that has everything that was searched for. It is None if the document's name has it."""
    excerpt: tuple[Part, ...] = ()
    """The excerpt. `excerpts` fills it for the hits that are shown, which are few of many."""
