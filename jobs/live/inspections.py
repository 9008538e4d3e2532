"""Looks at documents before Django is asked, so that a slow one holds none of its threads."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol
from uuid import UUID

from jobs.documents.reader import DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.selectors import live_twin_of
from jobs.documents.uploads import Upload
from jobs.live.turns import Turns
from tenants.asgi.stopping import Restarting, Stop
from tenants.asgi.threads import BoundedThreads, DatabaseThreads
from tenants.context import unit_of_work
from tenants.errors import DomainError

PATIENCE_S = 5.0
"""So long one waits for one's turn; what was uploaded lies on disk meanwhile."""
MOST_WAITING_EACH = 64


class Reader(Protocol):
    """Both block; `close` ends what `inspect` is at."""

    def inspect(self, path: Path) -> Inspection: ...

    def close(self) -> None: ...


class ReaderBusy(DomainError):
    code = "reader_unavailable"


class Inspections:
    """As many at once as the reader has children, of which one tenant never has all (unless there is but one)."""

    def __init__(
        self,
        reader: Callable[[], Reader],
        lookups: DatabaseThreads,
        stop: Stop,
        *,
        children: int,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`reader` is called when the first document comes: children belong to the process that uses them."""
        self._reader = reader
        self._opened: Reader | None = None
        self._lookups = lookups
        self._stop = stop
        self._patience_s = patience_s
        self._threads = BoundedThreads("inspect", children)
        self._turns = Turns(children, most_each=max(1, children - 1), most_waiting_each=MOST_WAITING_EACH)

    async def look_at(self, tenant_id: UUID, upload: Upload) -> Upload:
        """The upload with what was found; without, when the tenant has these very bytes already."""
        if await self._lookups.run(_is_known, tenant_id, upload.sha256):
            return upload
        async with self._turn(tenant_id):
            try:
                async with self._stop.limit():
                    found = await self._threads.run(self._inspect, upload.path)
            except TimeoutError:
                raise Restarting() from None
        return replace(upload, inspection=found)

    def close(self) -> None:
        self._threads.close()
        if self._opened is not None:
            self._opened.close()

    @asynccontextmanager
    async def _turn(self, tenant_id: UUID) -> AsyncIterator[None]:
        try:
            async with self._stop.limit(self._patience_s):
                await self._turns.take(tenant_id)
        except TimeoutError:
            raise (Restarting() if self._stop.told else _busy()) from None
        try:
            yield
        finally:
            self._turns.give_back(tenant_id)

    def _inspect(self, path: Path) -> Inspection | DocumentRejected:
        """In a thread."""
        self._opened = self._reader()
        try:
            return self._opened.inspect(path)
        except DocumentRejected as rejected:
            return rejected
        except ReaderUnavailable as error:
            raise _busy() from error


def _busy() -> ReaderBusy:
    return ReaderBusy("Too many documents are being looked at. Try again.", extra={"retry_after_s": 2})


def _is_known(tenant_id: UUID, sha256: str) -> bool:
    with unit_of_work(tenant_id):
        return live_twin_of(sha256) is not None
