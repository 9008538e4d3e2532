"""Functions of the operating system for processes: parents, start times, signals, and one lock per state folder."""

import contextlib
import ctypes
import fcntl
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from maas.process.errors import AlreadyRunning

_SET_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36
_SET_NO_NEW_PRIVILEGES = 38
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
"""The C library. It is loaded before any fork, because a child between fork and exec must not load libraries."""


def _prctl(option: int, value: int) -> None:
    if _LIBC is not None and _LIBC.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def adopt_orphans(wanted: bool) -> None:
    """Make this process the parent of every descendant whose own parent has ended, so that none escapes."""
    _prctl(_SET_CHILD_SUBREAPER, int(wanted))


def die_with_parent(parent: int, death_signal: signal.Signals) -> None:
    """Have the kernel send `death_signal` to this process when `parent` ends, however it ends.

    Call it after every change of user: the kernel forgets the signal when credentials change.
    """
    _prctl(_SET_DEATH_SIGNAL, death_signal)
    if os.getppid() != parent:
        os._exit(1)


def give_up_new_privileges() -> None:
    _prctl(_SET_NO_NEW_PRIVILEGES, 1)


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """The few fields of /proc/<pid>/stat that decisions depend on. They are readable for any user's process."""

    pid: int
    command: str
    state: str
    parent: int
    started_at_s: float
    """The start time in seconds since the epoch, accurate to about one second."""


def _boot_time_s() -> int:
    lines = Path("/proc/stat").read_text().splitlines()
    return next(int(line.removeprefix("btime ")) for line in lines if line.startswith("btime "))


def process_stat(pid: int) -> ProcessStat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        boot_s = _boot_time_s()
    except OSError:
        return None
    # The command may contain spaces and brackets. The fields start after the last bracket.
    command, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return ProcessStat(
        pid=pid,
        command=command,
        state=fields[0],
        parent=int(fields[1]),
        started_at_s=boot_s + int(fields[19]) / os.sysconf("SC_CLK_TCK"),
    )


def children_of(parent: int) -> Iterator[ProcessStat]:
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:
        return
    for pid in pids:
        stat = process_stat(pid)
        if stat is not None and stat.parent == parent:
            yield stat


def wait_until_gone(pid: int, timeout_s: float) -> bool:
    """Return whether process `pid`, which need not be a child of this one, ended within `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while (stat := process_stat(pid)) is not None and stat.state != "Z":
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def signal_group(leader: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


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
