"""Creates documents of complete uploads. It does not hold up the requests that sent their last bytes."""

import asyncio
import secrets
from contextlib import ExitStack, suppress

import structlog

from jobs.batches.blobs import Scratch
from jobs.documents.reader import ReaderUnavailable
from jobs.intake.fair_slots import FairSlots
from jobs.intake.inspections import Inspections, take_turn
from jobs.intake.spool import Spool
from jobs.uploads import finishing
from jobs.uploads.receiving import LEASE_S, Lease
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
AT_ONCE = 2
LARGE_BYTES, LARGE_AT_ONCE = 32 * 2**20, 1
"""The size of a large upload, and how many are joined at once. Half a minute of one must not delay small ones."""
WAIT_S = 20.0
"""The seconds that the request with the last byte waits for its document. Later the client asks for it."""
PAUSE_S = 2.0


class Finishing:
    """The tasks that finish uploads. The scheduler tries again what fails here or ends with this process."""

    def __init__(self, spool: Spool, inspections: Inspections, lookups: DatabaseThreads, stop: Stop) -> None:
        self._spool = spool
        self._inspections = inspections
        self._lookups = lookups
        self._stop = stop
        self._threads = DatabaseThreads("finish", AT_ONCE)
        self._turns = FairSlots(AT_ONCE, max_each=AT_ONCE - 1, max_waiting_each=64)
        self._large = FairSlots(LARGE_AT_ONCE, max_each=LARGE_AT_ONCE, max_waiting_each=64)
        self._under_way: set[asyncio.Task[None]] = set()

    async def finish(self, turn: Lease) -> None:
        """Wait until the upload is finished, or takes too long and goes on in the background."""
        task = asyncio.get_running_loop().create_task(self._finish(turn))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            async with self._stop.limit(WAIT_S):
                await asyncio.shield(task)
        except TimeoutError:
            log.info("upload_check_deferred", upload_id=str(turn.upload_id))

    def close(self) -> None:
        for task in self._under_way:
            task.cancel()
        self._threads.close()

    async def _finish(self, turn: Lease) -> None:
        about = {"upload_id": str(turn.upload_id), "tenant_id": str(turn.tenant_id)}
        retention = asyncio.get_running_loop().create_task(self._keep(turn))
        try:
            await self._in_turn(turn)
        except finishing.Lost:
            log.info("upload_finished_elsewhere", **about)
        except (DomainError, ReaderUnavailable) as error:
            log.warning("upload_postponed", error=error.detail, **about)
            await self._put_off(turn)
        except Exception:
            log.exception("upload_not_finished", **about)
            await self._put_off(turn)
        finally:
            retention.cancel()

    async def _put_off(self, turn: Lease) -> None:
        with suppress(DomainError):  # If this fails, the lease ends by itself.
            await self._lookups.run(finishing.put_off, turn, PAUSE_S)

    async def _in_turn(self, turn: Lease) -> None:
        with ExitStack() as held:
            if turn.size_bytes >= LARGE_BYTES:
                await take_turn(held, self._large, turn.tenant_id)
            await take_turn(held, self._turns, turn.tenant_id)
            await self._make(turn)

    async def _make(self, turn: Lease) -> None:
        file = await self._threads.run(self._scratch)
        try:
            upload = await self._threads.run(finishing.join, turn, file)
            upload = await self._inspections.look_at(turn.tenant_id, upload)
            await self._threads.run(finishing.settle, turn, upload)
        finally:
            # The threads may have ended with the process. The folder of the process is removed then too.
            with suppress(RuntimeError):
                self._threads.start(file.close)

    def _scratch(self) -> Scratch:
        """Create a file in this process's own folder, which does not outlive the process."""
        path = self._spool.prepare() / secrets.token_hex(16)
        return Scratch(path, path.open("xb"))

    async def _keep(self, turn: Lease) -> None:
        """Renew the lease, however long a large file takes."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            try:
                if not await self._lookups.run(finishing.keep, turn):
                    return
            except DomainError as error:
                log.warning("upload_lease_not_renewed", upload_id=str(turn.upload_id), error=error.detail)
