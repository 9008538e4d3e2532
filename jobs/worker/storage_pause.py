"""Leaves documents alone while the storage is full or away. Pages that would only be put off are not taken."""

import threading
import time
from collections.abc import Callable
from uuid import UUID

from django.db import connections

from inference.core.breaker import Breaker
from jobs.core.errors import FileMissing, StorageUnavailable
from tenants.core.db.unit_of_work import APP, unit_of_work

LONGEST_PAUSE_S = 15.0
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


class StoragePause:
    """A pause for documents. One page in each pause finds out whether it is over. Other inputs go on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._breaker = Breaker(longest_pause_s=LONGEST_PAUSE_S)
        self._lock = threading.Lock()

    @property
    def is_on(self) -> bool:
        with self._lock:
            return self._breaker.is_open

    def takes_documents(self) -> bool:
        """Return whether a page of a document may be taken. Call this only for such a page: it may be the test."""
        with self._lock:
            return self._breaker.asks(self._clock())

    def opened(self) -> bool:
        """Record that a page of a document was opened. Return whether that ends a pause."""
        with self._lock:
            return self._breaker.succeeded()

    def failed(self, error: Exception) -> bool:
        """Record an error. Return whether it begins a pause."""
        if not isinstance(error, StorageUnavailable) or isinstance(error, FileMissing):
            return False
        with self._lock:
            return self._breaker.failed(self._clock())


def is_of_document(tenant_id: UUID, page_id: UUID) -> bool:
    """Return whether a page that waits is a page of a document."""
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_IS_OF_DOCUMENT, {"page": page_id})
        return bool(cursor.fetchone()[0])


def put_off_for_storage(tenant_id: UUID, page_id: UUID) -> None:
    """Put off a page of a document while the storage is full or unavailable."""
    with unit_of_work(tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_PUT_OFF, {"page": page_id, "seconds": AGAIN_S})
