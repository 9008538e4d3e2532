"""Locks a state folder for one supervisor at a time."""

import fcntl
import os
from pathlib import Path

from maas.process.errors import AlreadyRunning


class HomeLock:
    """An exclusive lock that the kernel releases however its holder ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._fd, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._fd)
            raise AlreadyRunning(
                f"process {holder} is already running on {path.parent.parent}: "
                f"stop it first (kill {holder}), or set MAAS_HOME to another folder"
            ) from None
        os.ftruncate(self._fd, 0)
        os.write(self._fd, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.ftruncate(self._fd, 0)
        os.close(self._fd)
