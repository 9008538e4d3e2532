"""Looks at documents before Django is asked, so that a slow one holds none of its threads."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol
from uuid import UUID

from inference.core.calls import Call
from inference.core.errors import CallCanceled
from jobs.documents.reader import SHORT_TEXT_BYTES, DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.selectors import bytes_are_here
from jobs.documents.uploads import Upload
from jobs.intake.turns import Turns
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import BoundedThreads, DatabaseThreads
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError

PATIENCE_S = 5.0
"""So long one waits for one's turn; what was uploaded lies on disk meanwhile."""
LONG_BYTES = 256 * 2**20
"""A look at what is as large may take much longer than one at others."""
QUICK_S = 1.0
"""Nearly all looks take milliseconds. One that takes longer may be in the way of others."""
MOST_WAITING_EACH = 64

Found = Inspection | DocumentRejected


class Reader(Protocol):
    """All block; `close` ends what `inspect` is at, and so does canceling its call."""

    def inspect_short_text(self, path: Path) -> Inspection | None: ...

    def inspect(self, path: Path, call: Call) -> Inspection: ...

    def close(self) -> None: ...


class ReaderBusy(DomainError):
    code = "reader_unavailable"


class Inspections:
    """As many at once as the reader has children, unless there is but one: neither one tenant nor large or slow
    documents, whoever sent them, ever have all for longer than a quick look takes.

    A document that turns out slow goes over to the large ones, and is read on where they have a place. Where they have
    none and others wait for its child, its look ends and begins anew among them: once, since there it may take
    its time.
    """

    def __init__(
        self,
        reader: Callable[[], Reader],
        lookups: DatabaseThreads,
        stop: Stop,
        *,
        children: int,
        patience_s: float = PATIENCE_S,
        quick_s: float = QUICK_S,
    ) -> None:
        """`reader` is called when the first document comes: children belong to the process that uses them."""
        self._reader = reader
        self._opened: Reader | None = None
        self._lookups = lookups
        self._stop = stop
        self._patience_s = patience_s
        self._quick_s = quick_s
        self._threads = BoundedThreads("inspect", children)
        self._short = BoundedThreads("short", 1)
        spared = max(1, children - 1)
        self._turns = Turns(children, most_each=spared, most_waiting_each=MOST_WAITING_EACH)
        self._long = Turns(spared, most_each=spared, most_waiting_each=MOST_WAITING_EACH)

    def waiting_of(self, tenant_id: UUID) -> int:
        return self._turns.waiting_of(tenant_id)

    async def look_at(self, tenant_id: UUID, upload: Upload) -> Upload:
        """The upload with what was found; without, where the tenant has these bytes already, but for a short text."""
        if upload.size_bytes <= SHORT_TEXT_BYTES:
            found = await self._short.run(self.inspect_short, upload.path)
            if found is not None:
                return replace(upload, inspection=found)
        return await self.look_further(tenant_id, upload)

    async def look_further(self, tenant_id: UUID, upload: Upload) -> Upload:
        """The same, at what is known to be no short text."""
        if await self._lookups.run(_is_known, tenant_id, upload.sha256):
            return upload
        found = None
        if upload.size_bytes < LONG_BYTES:
            found = await self._look(tenant_id, upload.path, [self._turns])
        if found is None:
            # The long one comes first: whoever waits for it holds no child.
            found = await self._look(tenant_id, upload.path, [self._long, self._turns])
        return replace(upload, inspection=found)

    def close(self) -> None:
        self._threads.close()
        self._short.close()
        if self._opened is not None:
            self._opened.close()

    async def _look(self, tenant_id: UUID, path: Path, wanted: Sequence[Turns]) -> Found | None:
        """None where it was ended for others' sake."""
        held, call = await self._take_turns(tenant_id, wanted), Call(tenant=str(tenant_id))
        work = asyncio.ensure_future(self._threads.run(self._inspect, path, call))
        # Not before its child is free again, even where the sender has gone.
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

    async def _take_turns(self, tenant_id: UUID, wanted: Sequence[Turns]) -> ExitStack:
        with ExitStack() as held:
            try:
                async with self._stop.limit(self._patience_s):
                    for turns in wanted:
                        await take_turn(held, turns, tenant_id)
            except TimeoutError:
                raise (Restarting() if self._stop.told else _busy()) from None
            return held.pop_all()

    def inspect_short(self, path: Path) -> Found | None:
        """In a thread, sooner than the database could be asked whether it is known; None for what is no short text."""
        self._opened = self._reader()
        try:
            return self._opened.inspect_short_text(path)
        except DocumentRejected as rejected:
            return rejected

    def _inspect(self, path: Path, call: Call) -> Found | None:
        """In a thread."""
        self._opened = self._reader()
        try:
            return self._opened.inspect(path, call)
        except DocumentRejected as rejected:
            return rejected
        except CallCanceled:
            return None
        except ReaderUnavailable as error:
            raise _busy() from error


async def take_turn(held: ExitStack, turns: Turns, tenant_id: UUID) -> None:
    """Given back when the stack is left."""
    await turns.take(tenant_id)
    held.callback(turns.give_back, tenant_id)


async def _has_ended(work: "asyncio.Future[Found | None]", *, within_s: float | None) -> bool:
    """Leaves it going on, also where its caller is canceled."""
    await asyncio.wait([work], timeout=within_s)
    return work.done()


def _end(held: ExitStack, work: "asyncio.Future[Found | None]") -> None:
    held.close()
    if not work.cancelled():
        work.exception()  # Else it is logged where nobody waits for it any more.


def _busy() -> ReaderBusy:
    return ReaderBusy("Too many documents are being looked at. Try again.", extra={"retry_after_s": 2})


def _is_known(tenant_id: UUID, sha256: str) -> bool:
    with unit_of_work(tenant_id):
        return bytes_are_here(sha256)
