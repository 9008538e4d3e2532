"""The child's life: start, import, confine, then answer requests until the parent hangs up."""

import importlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence

from .channel import ChannelClosed, Json, receive, receive_with_files, send
from .confinement import confine, limit_cpu, limit_resources
from .kernel import die_with_parent

Handler = Callable[[Json, Sequence[int]], Json]

_MAX_REQUEST_BYTES = 1 << 20


def main(descriptor: int) -> None:
    die_with_parent(signal.SIGKILL)
    sock = socket.socket(fileno=descriptor)
    try:
        boot = receive(sock, _MAX_REQUEST_BYTES)
        handle = _start(sock, boot)
        while True:
            _answer_one(sock, handle, boot["cpu_s"])
    except ChannelClosed:
        return


def _start(sock: socket.socket, boot: Json) -> Handler:
    try:
        limit_resources(boot["memory_bytes"], boot["file_bytes"], boot["open_files"])
        sys.path.extend(boot["paths"])
        handle: Handler = importlib.import_module(boot["module"]).handle
        layers = confine(boot["readable"], in_bubblewrap=boot["in_bubblewrap"])
    except Exception as error:
        send(sock, _describe(error))
        raise
    send(sock, {"layers": layers})
    return handle


def _answer_one(sock: socket.socket, handle: Handler, cpu_s: int) -> None:
    request, files = receive_with_files(sock, _MAX_REQUEST_BYTES)
    try:
        limit_cpu(cpu_s)
        reply: Json = {"value": handle(request, files)}
    except Exception as error:
        reply = _describe(error)
    finally:
        for descriptor in files:
            os.close(descriptor)
    send(sock, reply)


def _describe(error: Exception) -> Json:
    return {"error": type(error).__name__, "message": str(error)[:500]}
