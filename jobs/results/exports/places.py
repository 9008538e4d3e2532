"""Bounds how much heavy work goes on in this process at once, and how much of it for one tenant.

Nobody waits for a place: who finds none is told when to come again, and holds no thread until then.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from jobs.results.exports.errors import TooManyExports
from tenants.core.asgi.threads import Overloaded


class Places:
    def __init__(self, what: str, places: int, *, most_each: int, retry_after_s: int) -> None:
        """`what` goes on here, in the plural and in words for the caller."""
        self._what = what
        self._places = self._free = places
        self._most_each = most_each
        self._come_again = {"retry_after_s": retry_after_s}
        # One that is taken again: what was forgotten gives back when memory is freed, in the middle of anything.
        self._lock = threading.RLock()
        self._held: Counter[UUID] = Counter()

    def take(self, tenant_id: UUID) -> None:
        """Whoever returns from this gives back."""
        with self._lock:
            if self._held[tenant_id] >= self._most_each:
                raise TooManyExports(
                    f"{self._most_each} {self._what} for you already. Try again when one of them has ended.",
                    extra=self._come_again,
                )
            if not self._free:
                raise Overloaded(
                    f"{self._places} {self._what} already. Try again in a few seconds.",
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
