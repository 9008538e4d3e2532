"""Answers a request. This is the only code of a child that handles hostile bytes."""

import socket
from collections.abc import Callable, Sequence

from .channel import Json, receive_with_files, send

Handler = Callable[[Json, Sequence[int]], Json]

_MAX_REQUEST_BYTES = 1 << 20


def answer(channel: socket.socket, handle: Handler) -> None:
    """Receives a request, handles it and replies. Its files stay open, because the process is about to end."""
    request, files = receive_with_files(channel, _MAX_REQUEST_BYTES)
    try:
        reply: Json = {"value": handle(request, files)}
    except Exception as error:
        reply = describe(error)
    send(channel, reply)


def describe(error: Exception) -> Json:
    return {"error": type(error).__name__, "message": str(error)[:500]}
