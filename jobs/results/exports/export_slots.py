"""Limits the heavy work in this process, in all and for each tenant. A caller without a slot never waits for one."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from tenants.core.asgi.threads import Overloaded
from tenants.core.errors import DomainError


class ExportTooLarge(DomainError):
    code = "export_too_large"


class NoPagePictures(DomainError):
    code = "no_page_pictures"


class NoTables(DomainError):
    """No finished page of the export has a table."""

    code = "no_tables"


class TooManyExports(DomainError):
    """One tenant has too many exports. The limit of all tenants together is `Overloaded`."""

    code = "rate_limited"
    gate = "exports"


class ExportSlots:
    def __init__(self, what: str, places: int, *, max_each: int, retry_after_s: int) -> None:
        """Create the slots. `what` is a text for the caller, in the plural, that says what the slots are for."""
        self._what = what
        self._places = self._free = places
        self._max_each = max_each
        self._come_again = {"retry_after_s": retry_after_s}
        # The same thread may take this lock again: an archive that was not closed gives back its slot when its memory
        # is freed, which may happen at any point.
        self._lock = threading.RLock()
        self._held: Counter[UUID] = Counter()

    def take(self, tenant_id: UUID) -> None:
        """Take a slot. If this returns, the caller has to give the slot back."""
        with self._lock:
            if self._held[tenant_id] >= self._max_each:
                raise TooManyExports(
                    f"{self._max_each} {self._what} for you already, the maximum. Try again when one is finished.",
                    extra=self._come_again,
                )
            if not self._free:
                raise Overloaded(
                    f"{self._places} {self._what} already. Try again in a few seconds.",
                    gate="exports_of_all",
                    extra=self._come_again,
                )
            self._free -= 1
            self._held[tenant_id] += 1

    def give_back(self, tenant_id: UUID) -> None:
        with self._lock:
            self._free += 1
            self._held[tenant_id] -= 1
            if not self._held[tenant_id]:
                del self._held[tenant_id]

    @contextmanager
    def taken(self, tenant_id: UUID) -> Iterator[None]:
        self.take(tenant_id)
        try:
            yield
        finally:
            self.give_back(tenant_id)
