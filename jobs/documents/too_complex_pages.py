"""Remember for a day which pages of a document could not be read within the limits. These pages are not tried again."""

from collections.abc import Sequence
from uuid import UUID

from django.db import connections

from tenants.core.db.unit_of_work import APP, unit_of_work

CODE = "document_too_complex"
MAX_PAGES = 2
"""The number of too complex pages at which no further page of the document is read."""
DETAIL = (
    f"{MAX_PAGES} pages of the document needed too much time or memory, so the other pages are not read. "
    "Print it to a new PDF or scan it, and upload that file."
)

REMEMBERED = "document.too_complex_at > clock_timestamp() - interval '1 day'"

_NOTE = f"""
UPDATE jobs_document document
SET too_complex_at = clock_timestamp(), too_complex_pages = CASE
    WHEN {REMEMBERED} AND %(number)s::int = ANY(too_complex_pages) THEN too_complex_pages
    WHEN {REMEMBERED} THEN too_complex_pages || %(number)s::int
    ELSE ARRAY[%(number)s::int] END
WHERE id = %(document)s RETURNING too_complex_pages
"""  # noqa: S608  # made of constants alone


def note_too_complex(tenant_id: UUID, document_id: UUID, number: int) -> Sequence[int]:
    """Return all pages of the document that are known to be too complex. This is safe to repeat."""
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_NOTE, {"document": document_id, "number": number})
        row = cursor.fetchone()
        return row[0] if row else ()


def is_ended(too_complex_pages: Sequence[int]) -> bool:
    return len(too_complex_pages) >= MAX_PAGES


def is_refused(too_complex_pages: Sequence[int], number: int) -> bool:
    """Return whether page `number` is failed without being read."""
    return is_ended(too_complex_pages) or number in too_complex_pages
