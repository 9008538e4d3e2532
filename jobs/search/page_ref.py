"""References to a page for which something is stored."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PageRef:
    tenant_id: UUID
    job_id: UUID
    page_id: UUID
    number: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A page, and the page whose result it has."""

    page_id: UUID
    number: int
    known_id: UUID
