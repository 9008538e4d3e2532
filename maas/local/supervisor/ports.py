"""Finds free TCP ports, and names the process that holds a taken one."""

import itertools
import os
import socket
from contextlib import suppress
from pathlib import Path

from maas.local.supervisor.processes import process_stat
from maas.process.errors import PortTaken

_LISTENING = "0A"
_OURS = range(18_000, 30_000)
"""The ports to choose from, below those that the system assigns to connections and to programs that want any port."""
_APART = 97
"""The distance between the first ports of processes with neighboring IDs."""
_SYSTEMS_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_asked = itertools.count()


def _bind(host: str, port: int) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # Old connections in TIME_WAIT do not occupy a port. A listener does, even with SO_REUSEPORT.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        return int(probe.getsockname()[1])


def free_port(host: str = "127.0.0.1") -> int:
    """Return a free port that the system assigns to no other program by chance before the caller listens on it."""
    ours = _outside_of_the_systems()
    for _ in ours:
        with suppress(OSError):
            return _bind(host, ours[(os.getpid() * _APART + next(_asked)) % len(ours)])
    return _bind(host, 0)


def _outside_of_the_systems() -> range:
    try:
        lowest = int(_SYSTEMS_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return _OURS
    return range(_OURS.start, max(_OURS.start, min(_OURS.stop, lowest)))


def require_free(host: str, port: int, setting: str = "MAAS_PORT") -> None:
    try:
        _bind(host, port)
    except OSError as error:
        raise PortTaken(
            f"{setting}={port} on {host} cannot be used: {error.strerror or error}{_held_by(port)}. "
            f"Stop that program, or set {setting} to another port"
        ) from None


def _held_by(port: int) -> str:
    for inode in _listening_inodes(port):
        pid = _owner_of_socket(inode)
        stat = None if pid is None else process_stat(pid)
        if stat is not None:
            return f" (held by process {stat.pid}, {stat.command})"
    return ""


def _listening_inodes(port: int) -> list[str]:
    inodes = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            rows = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            fields = row.split()
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.append(fields[9])
    return inodes


def _owner_of_socket(inode: str) -> int | None:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(fd) == f"socket:[{inode}]" for fd in (process / "fd").iterdir()):
                return int(process.name)
        except OSError:
            # The process belongs to another user, or has just ended.
            continue
    return None
