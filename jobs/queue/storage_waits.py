"""Pages of documents that wait for a storage that is full or unavailable."""

from uuid import UUID

from django.db import connections

from tenants.core.db.unit_of_work import APP, unit_of_work

AGAIN_S = 10.0

_IS_OF_DOCUMENT = """
SELECT EXISTS (
    SELECT FROM jobs_page page JOIN jobs_job job ON job.id = page.job_id
    WHERE page.id = %(page)s AND page.state = 'queued' AND job.document_id IS NOT NULL
)
"""

# The page no longer counts as under way, so that it takes no capacity from pages that need no storage.
_PUT_OFF = """
UPDATE jobs_page SET run_after = clock_timestamp() + make_interval(secs => %(seconds)s), renotify_at = NULL
WHERE id = %(page)s AND state = 'queued' AND run_after <= clock_timestamp()
"""


def is_of_document(tenant_id: UUID, page_id: UUID) -> bool:
    """Return whether a page that waits is a page of a document."""
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_IS_OF_DOCUMENT, {"page": page_id})
        return bool(cursor.fetchone()[0])


def put_off_for_storage(tenant_id: UUID, page_id: UUID) -> None:
    """Put off a page of a document while the storage is full or unavailable."""
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_PUT_OFF, {"page": page_id, "seconds": AGAIN_S})
