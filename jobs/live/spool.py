"""Bodies on local disk while they arrive: written off the event loop, removed with their request or its process."""

import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog

from jobs.errors import AWAY_PAUSE_S, FULL_PAUSE_S, StorageUnavailable
from tenants.asgi.threads import BoundedThreads
from tenants.errors import DomainError

log = structlog.get_logger(__name__)
BATCH_BYTES = 256 * 1024
LOCK = "lock"
TEMPORARY_S = 6 * 3600


class StorageFull(DomainError):
    code = "storage_full"


def is_full(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


def refusal_of(error: OSError) -> DomainError:
    if is_full(error):
        words = "The service has no disk space left for what was sent. Try again later."
        return StorageFull(words, extra={"retry_after_s": FULL_PAUSE_S})
    words = "The service cannot write what was sent at the moment. Try again later."
    return StorageUnavailable(words, extra={"retry_after_s": AWAY_PAUSE_S})


class SpoolFile:
    """Bytes gather in memory up to one batch; only a full batch takes a thread, so a stalled sender holds none."""

    def __init__(self, path: Path, threads: BoundedThreads) -> None:
        self.path = path
        self.size_bytes = 0
        self._threads = threads
        self._buffer = bytearray()
        self._hash = hashlib.sha256()
        self._descriptor: int | None = None
        self._removed = False
        self._failed: DomainError | None = None
        # A batch may still be on its way to the disk when the request is given up.
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        self._buffer += data
        self.size_bytes += len(data)

    def write(self, data: bytes) -> int:
        """At once, for whoever is in a thread already."""
        self._write(data)
        self.size_bytes += len(data)
        return len(data)

    async def write_full_batch(self) -> None:
        if len(self._buffer) >= BATCH_BYTES:
            await self._write_out()

    async def finish(self) -> str:
        """All bytes are in the file; the answer is their sha256. Raises again why some are not."""
        await self._write_out()
        return self._hash.hexdigest()

    def remove_soon(self) -> None:
        self._threads.start(self._remove)

    async def _write_out(self) -> None:
        if self._failed is not None:
            raise self._failed
        batch, self._buffer = bytes(self._buffer), bytearray()
        try:
            await self._threads.run(self._write, batch)
        except OSError as error:
            log.error("spool_not_written", error=str(error))
            self._failed = refusal_of(error)
            raise self._failed from error
        except DomainError as error:
            self._failed = error
            raise

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
    """One folder per process, locked while the process lives: what a dead one left behind is swept by the next."""

    def __init__(self, root: Path, threads: BoundedThreads) -> None:
        self._root = root
        self._threads = threads
        self._folder: Path | None = None
        self._held: int | None = None

    @contextmanager
    def file(self) -> Iterator[SpoolFile]:
        spooled = SpoolFile(self.prepare() / secrets.token_hex(16), self._threads)
        try:
            yield spooled
        finally:
            spooled.remove_soon()

    def prepare(self) -> Path:
        if self._folder is None:
            try:
                self._folder = self._own_folder()
            except OSError as error:
                log.error("spool_not_opened", path=str(self._root), error=str(error))
                raise refusal_of(error) from error
        return self._folder

    def close(self) -> None:
        if self._folder is not None and self._held is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._held)
            self._folder = self._held = None

    def _own_folder(self) -> Path:
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root.chmod(0o700)
        # Held while sweeping and creating, so that nobody sweeps a folder between its making and its locking.
        gate = os.open(self._root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            _sweep(self._root)
            folder = self._root / secrets.token_hex(8)
            folder.mkdir(mode=0o700)
            self._held = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(gate)
        return folder


def _sweep(root: Path) -> None:
    for entry in root.iterdir():
        if entry.name != LOCK and not _in_use(entry):
            _remove(entry)
            log.info("spool_swept", path=str(entry))


def _remove(entry: Path) -> None:
    if entry.is_dir():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)


def _in_use(entry: Path) -> bool:
    try:
        held = os.open(entry / LOCK, os.O_RDWR)
    except (FileNotFoundError, NotADirectoryError):
        return _is_young(entry)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(held)


def _is_young(entry: Path) -> bool:
    """A worker's copy of a document or an export that is being built: they have no lock, and never live this long."""
    with suppress(FileNotFoundError):
        return time.time() - entry.stat().st_mtime < TEMPORARY_S
    return False
