"""The cache of model files on this machine, for storage that is remote. All processes of the machine share it."""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import structlog
from django.conf import settings

from tenants.limits.quota.wording import MB

log = structlog.get_logger(__name__)
SPARED_S = 300.0
"""Seconds for which a file stays after its last use. Within them it is opened, however long its load has to wait."""
PART = ".part-"
"""The beginning of the name of a file that is being fetched."""
_LOCK = ".lock"
_pins: ContextVar[ExitStack | None] = ContextVar("pins", default=None)


@dataclass(frozen=True, slots=True)
class CachedFile:
    path: Path
    bytes: int
    used_s: float
    """The time of its last use."""


@contextmanager
def pins() -> Iterator[None]:
    """Keep the files that this thread uses within the block, however long it takes."""
    with ExitStack() as stack:
        token = _pins.set(stack)
        try:
            yield
        finally:
            _pins.reset(token)


def pin(path: Path) -> None:
    """Keep a file until the end of the `pins` around this call, if there are any."""
    stack = _pins.get()
    if stack is not None:
        fcntl.flock(stack.enter_context(path.open("rb")), fcntl.LOCK_SH)


def touch(paths: Iterable[Path]) -> bool:
    """Mark the files as used now. Return False if one of them is not in the cache any more."""
    with suppress(FileNotFoundError), _locked(fcntl.LOCK_SH):
        for path in paths:
            os.utime(path)
        return True
    return False


def remove_unused() -> int:
    """Remove the files that were not used for the longest time, down to the limit, and return their number."""
    limit_bytes = settings.MAAS_MODEL_CACHE_MB * MB
    with _locked(fcntl.LOCK_EX):
        files = list(_files(_folder()))
        unused = [file for file in files if not _is_pinned(file.path)]
        pinned_bytes = sum(file.bytes for file in files) - sum(file.bytes for file in unused)
        removed = surplus(unused, limit_bytes=limit_bytes - pinned_bytes, before_s=time.time() - SPARED_S)
        for file in removed:
            file.path.unlink(missing_ok=True)
            with suppress(OSError):  # another file of the same content is still there
                file.path.parent.rmdir()
    left_bytes = sum(file.bytes for file in files) - sum(file.bytes for file in removed)
    if left_bytes > limit_bytes:
        log.warning("model_cache_over_limit", bytes=left_bytes, limit_bytes=limit_bytes)
    return len(removed)


def surplus(files: Sequence[CachedFile], *, limit_bytes: int, before_s: float) -> list[CachedFile]:
    """Return the files to remove: those used least recently, and none that was used after `before_s`."""
    excess_bytes = sum(file.bytes for file in files) - limit_bytes
    removed: list[CachedFile] = []
    for file in sorted(files, key=lambda file: file.used_s):
        if excess_bytes <= 0 or file.used_s > before_s:
            break
        removed.append(file)
        excess_bytes -= file.bytes
    return removed


def _folder() -> Path:
    return Path(settings.MAAS_HOME) / "models"


def _files(folder: Path) -> Iterator[CachedFile]:
    for path in folder.glob("*/*"):
        with suppress(FileNotFoundError):
            stat = path.stat()
            yield CachedFile(path, stat.st_size, stat.st_mtime)


def _is_pinned(path: Path) -> bool:
    """Return whether the file must stay. One that was being fetched may have got its final name meanwhile."""
    try:
        # NFS gives an exclusive lock only on a file that is open for writing.
        with path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, FileNotFoundError):
        return True
    return False


@contextmanager
def _locked(how: int) -> Iterator[None]:
    """Hold the lock of the cache, so that no file is removed between the look at its last use and its next use."""
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
