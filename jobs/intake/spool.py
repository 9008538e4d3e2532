"""Keeps arriving request bodies on local disk, written off the event loop, until their request or process ends."""

import errno
import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import structlog

from jobs.core.errors import AWAY_PAUSE_S, FULL_PAUSE_S, StorageUnavailable
from tenants.core.asgi.threads import BoundedThreads
from tenants.core.errors import DomainError
from tenants.core.own_folder import OwnFolder

log = structlog.get_logger(__name__)
BATCH_BYTES = 256 * 1024
R = TypeVar("R")


class StorageFull(DomainError):
    code = "storage_full"
    gate = "disk"


def is_full(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


def refusal_of(error: OSError) -> DomainError:
    if is_full(error):
        message = "The service has no disk space left. Try again later."
        return StorageFull(message, extra={"retry_after_s": FULL_PAUSE_S})
    message = "The service cannot store the file now. Try again later."
    return StorageUnavailable(message, extra={"retry_after_s": AWAY_PAUSE_S})


class SpoolFile:
    """A file whose bytes gather in memory. Only a full batch takes a thread, so a stalled sender holds none."""

    def __init__(self, path: Path, threads: BoundedThreads) -> None:
        self.path = path
        self.size_bytes = 0
        self._threads = threads
        self._buffer = bytearray()
        self._hash = hashlib.sha256()
        self._descriptor: int | None = None
        self._removed = False
        self._failed: DomainError | None = None
        # A batch may still be on its way to the disk when the request is abandoned.
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        self._buffer += data
        self.size_bytes += len(data)

    def write(self, data: bytes) -> int:
        """Write the bytes at once. This is for callers that run in a thread already."""
        self._write(data)
        self.size_bytes += len(data)
        return len(data)

    async def write_full_batch(self) -> None:
        if len(self._buffer) >= BATCH_BYTES:
            await self._write_out(lambda _: None)

    async def finish(self) -> str:
        """Write all remaining bytes and return the sha256 of the file. Raises an earlier write error again."""
        sha256, _ = await self.finish_and(lambda _: None)
        return sha256

    async def finish_and(self, look: Callable[[Path], R]) -> tuple[str, R]:
        """Finish the file and look at it in the same thread: under load each further thread is a wait."""
        found = await self._write_out(look)
        return self._hash.hexdigest(), found

    def remove_soon(self) -> None:
        self._threads.start(self._remove)

    async def _write_out(self, then: Callable[[Path], R]) -> R:
        if self._failed is not None:
            raise self._failed
        batch, self._buffer = bytes(self._buffer), bytearray()
        try:
            return await self._threads.run(self._write_and, batch, then)
        except DomainError as error:
            self._failed = error
            raise

    def _write_and(self, batch: bytes, then: Callable[[Path], R]) -> R:
        try:
            self._write(batch)
        except OSError as error:
            log.error("spool_not_written", error=str(error))
            raise refusal_of(error) from error
        return then(self.path)

    def _write(self, batch: bytes) -> None:
        with self._lock:
            if self._removed:
                return
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._hash.update(batch)
            rest = memoryview(batch)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]

    def _remove(self) -> None:
        with self._lock:
            self._removed = True
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
                self.path.unlink(missing_ok=True)


class Spool:
    """The folder for such files. Each process has its own, which is removed with the process, however that ends."""

    def __init__(self, root: Path, threads: BoundedThreads) -> None:
        self._root = root
        self._threads = threads
        self._own = OwnFolder(root)

    @contextmanager
    def file(self) -> Iterator[SpoolFile]:
        spooled = SpoolFile(self.prepare() / secrets.token_hex(16), self._threads)
        try:
            yield spooled
        finally:
            spooled.remove_soon()

    def prepare(self) -> Path:
        try:
            return self._own.prepare()
        except OSError as error:
            log.error("spool_not_opened", path=str(self._root), error=str(error))
            raise refusal_of(error) from error

    def close(self) -> None:
        self._own.close()
