"""Counts the sockets and streams that are open in this process. Each tenant may have a part of them."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from jobs.intake.metrics import OPEN
from tenants.core.asgi.threads import Overloaded
from tenants.core.errors import DomainError

MOST = 12_000
"""The most connections in all, fewer than the server takes (`maas/local/launch/children.py`)."""
MAX_EACH = 6_000


class TooManyStreams(DomainError):
    """The refusal because one tenant has too many. If all tenants together have too many, it is `Overloaded`."""

    code = "rate_limited"
    gate = "open_streams"


class OpenConnections:
    def __init__(self, most: int = MOST, max_each: int = MAX_EACH) -> None:
        self._most = most
        self._max_each = max_each
        self.open = 0
        self._taken: Counter[UUID] = Counter()

    @contextmanager
    def seat(self, tenant_id: UUID, kind: str) -> Iterator[None]:
        if self._taken[tenant_id] >= self._max_each:
            raise TooManyStreams(
                f"You already have {self._max_each} open event streams and WebSockets. Close some and try again.",
                extra={"retry_after_s": 5},
            )
        if self.open >= self._most:
            raise Overloaded(
                "Too many event streams and WebSockets are open. Try again.",
                gate="open_streams_of_all",
                extra={"retry_after_s": 5},
            )
        self.open += 1
        self._taken[tenant_id] += 1
        OPEN.labels(kind=kind).inc()
        try:
            yield
        finally:
            OPEN.labels(kind=kind).dec()
            self.open -= 1
            self._taken[tenant_id] -= 1
            if not self._taken[tenant_id]:
                del self._taken[tenant_id]
