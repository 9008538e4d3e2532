"""Test that complete uploads are assembled side by side, so that large ones do not delay small ones."""

import asyncio
import threading
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from jobs.batches.blobs import Scratch
from jobs.documents.uploads import Upload
from jobs.intake.inspections import Inspections
from jobs.intake.spool import Spool
from jobs.uploads import finishing
from jobs.uploads.background_finishing import LARGE_AT_ONCE, LARGE_BYTES, Finishing
from jobs.uploads.receiving import Lease
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import BoundedThreads, DatabaseThreads

TIMEOUT_S = 10.0


class SlowDisk:
    """A disk on which large files take as long as the test says, and small ones take no time."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.begun = threading.Semaphore(0)
        self.large: list[UUID] = []
        self.settled: list[UUID] = []

    def join(self, turn: Lease, file: Scratch) -> Upload:
        if turn.size_bytes >= LARGE_BYTES:
            self.large.append(turn.tenant_id)
            self.begun.release()
            assert self.may.wait(TIMEOUT_S)
        return Upload(
            path=file.path,
            sha256=file.finish(),
            size_bytes=turn.size_bytes,
            filename="a.txt",
            content_type="text/plain",
        )

    def settle(self, turn: Lease, upload: Upload) -> None:
        self.settled.append(turn.tenant_id)


class NothingToSee(Inspections):
    def __init__(self) -> None:
        """Make inspections without a reader, because every upload counts as inspected."""

    async def look_at(self, tenant_id: UUID, upload: Upload) -> Upload:
        return upload


def whole(tenant_id: UUID, size_bytes: int) -> Lease:
    return Lease(tenant_id, uuid4(), 1, size_bytes, size_bytes)


def test_large_uploads_of_many_tenants_leave_room_for_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk()
    monkeypatch.setattr(finishing, "join", disk.join)
    monkeypatch.setattr(finishing, "settle", disk.settle)
    senders, other = [uuid4() for _ in range(5)], uuid4()

    async def check() -> None:
        spool = Spool(tmp_path, BoundedThreads("spool", 1))
        made = Finishing(spool, NothingToSee(), DatabaseThreads("lookups", 1), Stop())
        large = [asyncio.create_task(made.finish(whole(sender, LARGE_BYTES))) for sender in senders]
        async with asyncio.timeout(TIMEOUT_S):
            for _ in range(LARGE_AT_ONCE):
                await asyncio.to_thread(disk.begun.acquire, timeout=TIMEOUT_S)
            for size_bytes in (10, LARGE_BYTES - 1):
                await made.finish(whole(other, size_bytes))
            assert (disk.settled, disk.large) == ([other, other], senders[:LARGE_AT_ONCE])
            disk.may.set()
            await asyncio.gather(*large)
        made.close()

    asyncio.run(check())
    assert sorted(disk.settled) == sorted([other, other, *senders])
