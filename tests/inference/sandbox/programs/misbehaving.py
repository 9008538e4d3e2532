"""A program that does on request what hostile input might make a program do."""

import ctypes
import os
import resource
import signal
import socket
import stat
from collections.abc import Callable, Sequence
from typing import Any

Json = Any


def handle(request: Json, files: Sequence[int]) -> Json:
    return _DEEDS[request["do"]](request, files)


def _echo(request: Json, files: Sequence[int]) -> Json:
    return {"said": request.get("say"), "pid": os.getpid()}


def _read_file(request: Json, files: Sequence[int]) -> Json:
    return os.pread(files[0], 100, 0).decode()


def _fill_arena(request: Json, files: Sequence[int]) -> Json:
    return os.pwrite(files[0], request["say"].encode(), request["at"])


def _spin(request: Json, files: Sequence[int]) -> Json:
    while True:
        pass


def _allocate(request: Json, files: Sequence[int]) -> Json:
    return len(bytearray(request["bytes"]))


def _crash(request: Json, files: Sequence[int]) -> Json:
    return ctypes.string_at(0)


def _leave(request: Json, files: Sequence[int]) -> Json:
    os._exit(3)


def _fail(request: Json, files: Sequence[int]) -> Json:
    raise KeyError("a field that is missing")


def _attempt(deed: Callable[[], object]) -> str:
    try:
        deed()
    except OSError as error:
        return error.strerror or "refused"
    return "done"


def _escape(request: Json, files: Sequence[int]) -> Json:
    """Tries each way out and tells what the system answered."""
    return {
        "read a file": _attempt(lambda: os.close(os.open(request["path"], os.O_RDONLY))),
        "write a file": _attempt(lambda: os.close(os.open("/tmp/left-behind", os.O_CREAT | os.O_WRONLY))),
        "start a program": _attempt(lambda: os.execv("/bin/true", ["true"])),
        "fork": _attempt(os.fork),
        "open a socket": _attempt(lambda: socket.socket(socket.AF_INET)),
        "signal the parent": _attempt(lambda: os.kill(request["parent"], signal.SIGTERM)),
        "limit the parent": _attempt(
            lambda: resource.prlimit(request["parent"], resource.RLIMIT_NOFILE, (9, 9))
        ),
        "grow the arena": _attempt(lambda: os.truncate(files[0], 1 << 30)),
        "environment": dict(os.environ),
        "descriptors": len(files),
    }


def _raw(request: Json, files: Sequence[int]) -> Json:
    """Writes bytes of its own to the socket that answers travel on."""
    for descriptor in range(3, 30):
        try:
            is_socket = stat.S_ISSOCK(os.fstat(descriptor).st_mode)
        except OSError:
            continue
        if is_socket:
            os.write(descriptor, bytes.fromhex(request["hex"]))
    os._exit(0)


_DEEDS: dict[str, Callable[[Json, Sequence[int]], Json]] = {
    "echo": _echo,
    "read": _read_file,
    "fill": _fill_arena,
    "spin": _spin,
    "allocate": _allocate,
    "crash": _crash,
    "leave": _leave,
    "fail": _fail,
    "escape": _escape,
    "raw": _raw,
}
