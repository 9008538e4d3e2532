"""Inspects documents before Django is called, so that a slow document holds none of Django's threads."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from inference.core.calls import Call
from inference.core.errors import CallCanceled
from jobs.documents.reader import SHORT_TEXT_BYTES, DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.selectors import bytes_are_here
from jobs.documents.uploads import Upload
from jobs.intake.fair_slots import FairSlots
from jobs.intake.spool import SpoolFile, refusal_of
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import BoundedThreads, DatabaseThreads
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError

TIMEOUT_S = 5.0
"""The longest wait for a slot, in seconds. The upload is on disk meanwhile."""
LONG_BYTES = 256 * 2**20
"""The size from which a document is large. Its inspection may take much longer than that of others."""
QUICK_S = 1.0
"""The seconds that a quick inspection takes at most. Nearly all take milliseconds. A longer one may delay others."""
MAX_WAITING_EACH = 64

Found = Inspection | DocumentRejected


class Reader(Protocol):
    """The document reader. All methods block. `close` ends a running `inspect`, and so does canceling its call."""

    def inspect_short_text(self, path: Path) -> Inspection | None: ...

    def decrypt(self, path: Path, password: str, copy: Callable[[bytes], object], call: Call) -> bool: ...

    def inspect(self, path: Path, call: Call) -> Inspection: ...

    def close(self) -> None: ...


class ReaderBusy(DomainError):
    code = "reader_unavailable"
    gate = "readers"


class Inspections:
    """The inspections of one process, as many at once as the reader has children, fair to all tenants.

    If there are several children, no tenant, and no large or slow documents together, hold all for longer than a quick
    inspection takes. A slow document joins the large ones if a slot is free there, else it yields to others once and
    begins again in that group, where it may take its time.
    """

    def __init__(
        self,
        reader: Callable[[], Reader],
        lookups: DatabaseThreads,
        stop: Stop,
        *,
        children: int,
        timeout_s: float = TIMEOUT_S,
        quick_s: float = QUICK_S,
    ) -> None:
        """Keep `reader` for the first document, because children belong to the process that uses them."""
        self._reader = reader
        self._opened: Reader | None = None
        self._lookups = lookups
        self._stop = stop
        self._timeout_s = timeout_s
        self._quick_s = quick_s
        self._threads = BoundedThreads("inspect", children)
        self._short = BoundedThreads("short", 1)
        spared = max(1, children - 1)
        self._turns = FairSlots(children, max_each=spared, max_waiting_each=MAX_WAITING_EACH)
        self._long = FairSlots(spared, max_each=spared, max_waiting_each=MAX_WAITING_EACH)

    def waiting_of(self, tenant_id: UUID) -> int:
        return self._turns.waiting_of(tenant_id)

    async def look_at(self, tenant_id: UUID, upload: Upload) -> Upload:
        """Return the upload, inspected unless the tenant has these bytes already and they are no short text."""
        if upload.size_bytes <= SHORT_TEXT_BYTES:
            found = await self._short.run(self.inspect_short, upload.path)
            if found is not None:
                return replace(upload, inspection=found)
        return await self.look_further(tenant_id, upload)

    async def look_further(self, tenant_id: UUID, upload: Upload) -> Upload:
        """Inspect an upload that is known to be no short text. The rest is the same as in `look_at`."""
        if await self._lookups.run(_is_known, tenant_id, upload.sha256):
            return upload
        found = None
        if upload.size_bytes < LONG_BYTES:
            found = await self._look(tenant_id, upload.path, [self._turns])
        if found is None:
            # The slot among the large ones is taken first, because a document that waits for it holds no child.
            found = await self._look(tenant_id, upload.path, [self._long, self._turns])
        return replace(upload, inspection=found)

    async def unlock(self, tenant_id: UUID, upload: Upload, password: str, file: SpoolFile) -> Upload:
        """Return the upload of a PDF that opens only with this password as a copy without it, written to `file`."""
        held, call = await self._take_turns(tenant_id, [self._turns]), Call(tenant=str(tenant_id))
        work = asyncio.ensure_future(self._threads.run(self._decrypt, upload.path, password, file, call))
        work.add_done_callback(partial(_end, held))
        try:
            async with self._stop.limit():
                found = await asyncio.shield(work)
        except TimeoutError:
            raise Restarting() from None
        finally:
            call.cancel()
        if isinstance(found, DocumentRejected):
            return replace(upload, inspection=found)
        if not found:
            return upload
        return replace(upload, path=file.path, sha256=await file.finish(), size_bytes=file.size_bytes, inspection=None)

    def close(self) -> None:
        self._threads.close()
        self._short.close()
        if self._opened is not None:
            self._opened.close()

    async def _look(self, tenant_id: UUID, path: Path, wanted: Sequence[FairSlots]) -> Found | None:
        """Inspect the document. Return None if the inspection was ended in favor of others."""
        held, call = await self._take_turns(tenant_id, wanted), Call(tenant=str(tenant_id))
        work = asyncio.ensure_future(self._threads.run(self._inspect, path, call))
        # The slots are given back only when the child is free again, even if the sender has gone.
        work.add_done_callback(partial(_end, held))
        may_take_long = self._long in wanted
        try:
            async with self._stop.limit():
                while not await _has_ended(work, within_s=None if may_take_long else self._quick_s):
                    if self._long.free:
                        await take_turn(held, self._long, tenant_id)
                        may_take_long = True
                    elif self._turns.wanted_by_others(tenant_id):
                        call.cancel()
                return work.result()
        except TimeoutError:
            raise Restarting() from None
        finally:
            call.cancel()

    async def _take_turns(self, tenant_id: UUID, wanted: Sequence[FairSlots]) -> ExitStack:
        with ExitStack() as held:
            try:
                async with self._stop.limit(self._timeout_s):
                    for turns in wanted:
                        await take_turn(held, turns, tenant_id)
            except TimeoutError:
                raise (Restarting() if self._stop.told else _busy()) from None
            return held.pop_all()

    def inspect_short(self, path: Path) -> Found | None:
        """Inspect a short text in a thread, or return None. It is quicker than a look in the database."""
        self._opened = self._reader()
        try:
            return self._opened.inspect_short_text(path)
        except DocumentRejected as rejected:
            return rejected

    def _decrypt(self, path: Path, password: str, file: SpoolFile, call: Call) -> bool | DocumentRejected:
        """Write the copy. This runs in a thread."""
        self._opened = self._reader()
        try:
            return self._opened.decrypt(path, password, file.write, call)
        except DocumentRejected as rejected:
            return rejected
        except CallCanceled:
            raise _busy() from None
        except ReaderUnavailable as error:
            raise _busy() from error
        except OSError as error:
            raise refusal_of(error) from error

    def _inspect(self, path: Path, call: Call) -> Found | None:
        """Inspect the document. This runs in a thread."""
        self._opened = self._reader()
        try:
            return self._opened.inspect(path, call)
        except DocumentRejected as rejected:
            return rejected
        except CallCanceled:
            return None
        except ReaderUnavailable as error:
            raise _busy() from error


async def take_turn(held: ExitStack, turns: FairSlots, tenant_id: UUID) -> None:
    """Take a slot that is given back when the stack is left."""
    await turns.take(tenant_id)
    held.callback(turns.give_back, tenant_id)


async def _has_ended(work: "asyncio.Future[Found | None]", *, within_s: float | None) -> bool:
    """Return whether the work has ended in time. The work goes on, also if the caller of this is canceled."""
    await asyncio.wait([work], timeout=within_s)
    return work.done()


def _end(held: ExitStack, work: "asyncio.Future[Any]") -> None:
    held.close()
    if not work.cancelled():
        work.exception()  # If unread, it is logged when nobody waits any more.


def _busy() -> ReaderBusy:
    return ReaderBusy("Too many documents are being checked. Try again in a few seconds.", extra={"retry_after_s": 2})


def _is_known(tenant_id: UUID, sha256: str) -> bool:
    with unit_of_work(tenant_id):
        return bytes_are_here(sha256)
