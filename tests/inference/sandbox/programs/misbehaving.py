"""Run as a program that does on request what hostile input might make a program do."""

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


def _spin(request: Json, files: Sequence[int]) -> Json:
    while True:
        pass


def _leave(request: Json, files: Sequence[int]) -> Json:
    os._exit(3)


def _fail(request: Json, files: Sequence[int]) -> Json:
    raise KeyError("a field that is missing")


def _attempt(action: Callable[[], object]) -> str:
    try:
        action()
    except OSError as error:
        return error.strerror or "refused"
    return "done"


def _escape(request: Json, files: Sequence[int]) -> Json:
    """Try each way out, and report what the system answered."""
    return {
        "read a file": _attempt(lambda: os.close(os.open(request["path"], os.O_RDONLY))),
        "write a file": _attempt(lambda: os.close(os.open("/tmp/left-behind", os.O_CREAT | os.O_WRONLY))),
        "start a program": _attempt(lambda: os.execv("/bin/true", ["true"])),
        "fork": _attempt(os.fork),
        "open a socket": _attempt(lambda: socket.socket(socket.AF_INET)),
        "signal the parent": _attempt(lambda: os.kill(request["parent"], signal.SIGTERM)),
        "limit the parent": _attempt(lambda: resource.prlimit(request["parent"], resource.RLIMIT_NOFILE, (9, 9))),
        "grow the arena": _attempt(lambda: os.truncate(files[0], 1 << 30)),
        "environment": dict(os.environ),
        "descriptors": len(files),
    }


def _sockets(request: Json = None, files: Sequence[int] = ()) -> list[int]:
    return [each for each in _descriptors() if stat.S_ISSOCK(os.fstat(each).st_mode)]


def _descriptors() -> list[int]:
    """Return the open file descriptors, besides those that every program has."""
    return [each for each in range(3, 30) if _attempt(lambda: os.fstat(each)) == "done"]  # noqa: B023


_PLACES = ("/planted", "/tmp/planted", "planted")
_planted: list[str] = []


def _plant(request: Json, files: Sequence[int]) -> Json:
    """Leave something of this request wherever the next one might find it."""
    _planted.append(os.pread(files[0], 100, 0).decode())
    _DEEDS["echo"] = lambda request, files: {"said": _planted[0]}
    os.dup(files[0])
    for place in _PLACES:
        _attempt(lambda: os.open(place, os.O_CREAT | os.O_WRONLY))  # noqa: B023
    return "planted"


def _find_planted(request: Json, files: Sequence[int]) -> Json:
    return {
        "memory": _planted,
        "descriptors": sorted(set(_descriptors()) - set(_sockets()) - set(files)),
        "files": [place for place in _PLACES if _attempt(lambda: os.open(place, os.O_RDONLY)) == "done"],  # noqa: B023
    }


def _use_workspace(request: Json, files: Sequence[int]) -> Json:
    """Do in the working folder what a program with a workspace may do, and try what it may not."""
    os.mkdir("below")
    with open("below/first", "w") as file:
        file.write("written")
    os.rename("below/first", "below/second")
    with open("below/second") as file:
        read = file.read()
    os.remove("below/second")
    os.rmdir("below")
    with open("left", "w") as file:
        file.write(read)
    return {
        "read": read,
        "write elsewhere": _attempt(lambda: os.close(os.open(request["elsewhere"], os.O_CREAT | os.O_WRONLY))),
        "make a link": _attempt(lambda: os.symlink("/etc/passwd", "link")),
        "make a hard link": _attempt(lambda: os.link(request["elsewhere"] + "/../kept", "link")),
        "make a pipe": _attempt(lambda: os.mkfifo("pipe")),
        "leave": _attempt(lambda: os.close(os.open("../outside", os.O_CREAT | os.O_WRONLY))),
        "write too much": _attempt(lambda: os.pwrite(os.open("large", os.O_CREAT | os.O_WRONLY), b"x", 1 << 40)),
    }


def _reach(request: Json, files: Sequence[int]) -> Json:
    """Try what would let one process change another one of the same user."""
    process = request["process"]
    memory = f"/proc/{process}/mem"
    return {
        "signal it": _attempt(lambda: os.kill(process, signal.SIGTERM)),
        "limit it": _attempt(lambda: resource.prlimit(process, resource.RLIMIT_NOFILE, (9, 9))),
        "open its memory": _attempt(lambda: os.close(os.open(memory, os.O_RDWR))),
    }


def _hang_up(request: Json, files: Sequence[int]) -> Json:
    for each in _sockets():
        os.close(each)
    return _spin(request, files)


def _answer_and_stay(request: Json, files: Sequence[int]) -> Json:
    payload = b'{"value": "an answer"}'
    os.write(_sockets()[0], len(payload).to_bytes(4, "big") + payload)
    return _spin(request, files)


def _raw(request: Json, files: Sequence[int]) -> Json:
    """Write bytes of its own to the socket on which answers are sent."""
    for each in _sockets():
        os.write(each, bytes.fromhex(request["hex"]))
    os._exit(0)


_DEEDS: dict[str, Callable[[Json, Sequence[int]], Json]] = {
    "echo": lambda request, files: {"said": request.get("say"), "pid": os.getpid()},
    "read": lambda request, files: os.pread(files[0], 100, 0).decode(),
    "fill": lambda request, files: os.pwrite(files[0], request["say"].encode(), request["at"]),
    "spin": _spin,
    "allocate": lambda request, files: len(bytearray(request["bytes"])),
    "crash": lambda request, files: ctypes.string_at(0),
    "leave": _leave,
    "fail": _fail,
    "escape": _escape,
    "raw": _raw,
    "sockets": _sockets,
    "plant": _plant,
    "find planted": _find_planted,
    "use workspace": _use_workspace,
    "reach": _reach,
    "hang up": _hang_up,
    "answer and stay": _answer_and_stay,
}
