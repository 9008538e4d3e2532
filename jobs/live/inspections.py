"""Looks at documents before Django is asked, so that a slow one holds none of its threads."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
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
LONG_BYTES = 256 * 2**20
"""A look at what is as large may take much longer than one at others."""
MOST_WAITING_EACH = 64


class Reader(Protocol):
    """Both block; `close` ends what `inspect` is at."""

    def inspect(self, path: Path) -> Inspection: ...

    def close(self) -> None: ...


class ReaderBusy(DomainError):
    code = "reader_unavailable"


class Inspections:
    """As many at once as the reader has children, unless there is but one: neither one tenant nor large documents,
    whoever sent them, ever have all.
    """

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
        spared = max(1, children - 1)
        self._turns = Turns(children, most_each=spared, most_waiting_each=MOST_WAITING_EACH)
        self._long = Turns(spared, most_each=spared, most_waiting_each=MOST_WAITING_EACH)

    async def look_at(self, tenant_id: UUID, upload: Upload) -> Upload:
        """The upload with what was found; without, when the tenant has these very bytes already."""
        if await self._lookups.run(_is_known, tenant_id, upload.sha256):
            return upload
        async with AsyncExitStack() as held:
            await self._take_turns(held, tenant_id, upload)
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

    async def _take_turns(self, held: AsyncExitStack, tenant_id: UUID, upload: Upload) -> None:
        """Until `held` ends. The long one comes first: whoever waits for it holds no child."""
        wanted = [self._long, self._turns] if upload.size_bytes >= LONG_BYTES else [self._turns]
        try:
            async with self._stop.limit(self._patience_s):
                for turns in wanted:
                    await held.enter_async_context(_turn(turns, tenant_id))
        except TimeoutError:
            raise (Restarting() if self._stop.told else _busy()) from None

    def _inspect(self, path: Path) -> Inspection | DocumentRejected:
        """In a thread."""
        self._opened = self._reader()
        try:
            return self._opened.inspect(path)
        except DocumentRejected as rejected:
            return rejected
        except ReaderUnavailable as error:
            raise _busy() from error


@asynccontextmanager
async def _turn(turns: Turns, tenant_id: UUID) -> AsyncIterator[None]:
    await turns.take(tenant_id)
    try:
        yield
    finally:
        turns.give_back(tenant_id)


def _busy() -> ReaderBusy:
    return ReaderBusy("Too many documents are being looked at. Try again.", extra={"retry_after_s": 2})


def _is_known(tenant_id: UUID, sha256: str) -> bool:
    with unit_of_work(tenant_id):
        return live_twin_of(sha256) is not None
