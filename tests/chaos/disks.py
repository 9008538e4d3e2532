"""Small disks for a single run, which can be filled to the last byte. Only root may mount them.

They are mounted where no other process sees them, and disappear with the last process of the run.
"""

import ctypes
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_NEW_MOUNTS, _PRIVATE = 0x00020000, 1 << 18 | 1 << 14
# PostgreSQL and its standby each keep 512 MB of their log.
_BYTES = {"postgres": 2 << 30, "redis": 1 << 28, "files": 1 << 28}
DISKS: Mapping[str, str] = {f"disk of {folder}": folder for folder in _BYTES}
_BALLAST = "ballast"
_PIECE = bytes(1 << 20)


class Disks:
    def __init__(self, home: Path) -> None:
        self._home = home
        assert os.geteuid() == 0, "disks of a run's own are mounted by root alone"
        libc = ctypes.CDLL(None, use_errno=True)
        _done(libc.unshare(_NEW_MOUNTS), "unshare")
        _done(libc.mount(None, b"/", None, _PRIVATE, None), "make mounts private")
        for folder, size in _BYTES.items():
            (home / folder).mkdir(mode=0o700)
            options = f"size={size},mode=0700".encode()
            _done(libc.mount(b"tmpfs", bytes(home / folder), b"tmpfs", 0, options), f"mount {folder}")

    def fill(self, disk: str) -> None:
        """Fill the disk, whatever others write meanwhile, until the last piece does not fit."""
        with (self._home / DISKS[disk] / _BALLAST).open("wb", buffering=0) as ballast, suppress(OSError):
            while ballast.write(_PIECE):
                pass

    def free(self, disk: str) -> None:
        (self._home / DISKS[disk] / _BALLAST).unlink(missing_ok=True)


def _done(failed: int, what: str) -> None:
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
