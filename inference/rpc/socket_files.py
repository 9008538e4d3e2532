"""The sockets of a machine's workers: a folder with one for each, which only processes of the same user can use."""

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SUFFIX = ".sock"
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group of the other side."""


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """Yield a name for the path that fits into the address of a socket, which has 107 bytes."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def listen(path: Path) -> socket.socket:
    """Create the worker's socket and remove those of workers that died."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for other in path.parent.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            if not _is_served(other):
                other.unlink()
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with short_path(path) as name:
        made.bind(name)
    path.chmod(0o600)
    made.listen(64)
    made.setblocking(False)
    return made


def connect(path: Path) -> socket.socket:
    """Connect to a worker. Raises OSError if it does not listen any more or is of another user."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.setblocking(False)  # A worker that is frozen does not accept, and its queue may be full.
        with short_path(path) as name:
            made.connect(name)
        require_own_user(made)
    except OSError:
        made.close()
        raise
    return made


def require_own_user(connected: socket.socket) -> None:
    """Raise PermissionError unless the other side is a process of the same user."""
    found = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _process, user, _group = _CREDENTIALS.unpack(found)
    if user != os.geteuid():
        raise PermissionError(f"the socket belongs to user {user}")


def _is_served(path: Path) -> bool:
    try:
        connect(path).close()
    except ConnectionRefusedError:
        return False
    return True
