"""Length-prefixed JSON over a unix socket, with open files beside a message."""

import json
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

Json = Any

_HEADER = struct.Struct("!I")
_MAX_FILES = 8


class ChannelClosed(Exception):
    """The error for a connection that the other side has closed."""


class ChannelTimedOut(Exception):
    """The error for a deadline that passed before the message was complete."""


class InvalidMessage(Exception):
    """The error for data from the other side that is not a message."""


def send(sock: socket.socket, body: Json, files: Sequence[int] = (), deadline: float | None = None) -> None:
    """Sends a message. `deadline` is on the monotonic clock."""
    payload = json.dumps(body, allow_nan=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    frame = _HEADER.pack(len(payload)) + payload
    try:
        _arm(sock, deadline)
        sent = socket.send_fds(sock, [frame], list(files)) if files else 0
        # The other side may have read it all, answered and ended. Sending an empty rest would then fail.
        if sent < len(frame):
            sock.sendall(frame[sent:])
    except TimeoutError as error:
        raise ChannelTimedOut from error
    except OSError as error:
        raise ChannelClosed from error


def receive(sock: socket.socket, max_bytes: int, deadline: float | None = None) -> Json:
    """Receives a message and takes no files. The kernel drops any descriptors that the other side sends."""
    header = _read_exactly(sock, _HEADER.size, deadline)
    return _decode(_read_payload(sock, bytes(header), max_bytes, deadline))


def receive_with_files(sock: socket.socket, max_bytes: int) -> tuple[Json, list[int]]:
    """Receives a message and the files sent with it. It is meant for the side that trusts its peer."""
    header, files, _, _ = socket.recv_fds(sock, _HEADER.size, _MAX_FILES)
    if not header:
        raise ChannelClosed
    if len(header) < _HEADER.size:
        header += bytes(_read_exactly(sock, _HEADER.size - len(header), None))
    return _decode(_read_payload(sock, header, max_bytes, None)), files


def _read_payload(sock: socket.socket, header: bytes, max_bytes: int, deadline: float | None) -> bytearray:
    (length,) = _HEADER.unpack(header)
    if length > max_bytes:
        raise InvalidMessage(f"a message of {length} bytes is over the limit of {max_bytes}")
    return _read_exactly(sock, length, deadline)


def _read_exactly(sock: socket.socket, count: int, deadline: float | None) -> bytearray:
    buffer = bytearray(count)
    view = memoryview(buffer)
    while view:
        try:
            _arm(sock, deadline)
            got = sock.recv_into(view)
        except TimeoutError as error:
            raise ChannelTimedOut from error
        except OSError as error:
            raise ChannelClosed from error
        if not got:
            raise ChannelClosed
        view = view[got:]
    return buffer


def _arm(sock: socket.socket, deadline: float | None) -> None:
    if deadline is None:
        return
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    sock.settimeout(left)


def _decode(payload: bytearray) -> Json:
    try:
        return json.loads(payload.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidMessage(f"not JSON: {type(error).__name__}") from error


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")
