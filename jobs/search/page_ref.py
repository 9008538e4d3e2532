"""Which page something is kept of."""

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
    """A page, and the one whose result it has."""

    page_id: UUID
    number: int
    known_id: UUID
