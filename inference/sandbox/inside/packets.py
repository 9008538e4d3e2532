"""Short JSON messages over a unix socket that keeps them apart, with open files beside a message.

A message is one system call on each side, for forks that answer many requests.
"""

import json
import socket
from collections.abc import Sequence
from typing import Any

from .channel import ChannelClosed, InvalidMessage

Json = Any

MAX_PACKET_BYTES = 128 << 10
_MAX_FILES = 8


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


# To make these anew for each message would take longer than the message.
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


class Packets:
    """A connection of messages. Its socket has the type SOCK_SEQPACKET and may have time limits of the kernel's."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self._buffer = bytearray(MAX_PACKET_BYTES)

    def send(self, packet: bytes, files: Sequence[int] = ()) -> None:
        """Send a message as `encoded`. Raises ValueError if it is too long."""
        if len(packet) > MAX_PACKET_BYTES:
            raise ValueError(f"a message of {len(packet)} bytes is over the limit of {MAX_PACKET_BYTES}")
        try:
            if files:
                socket.send_fds(self.socket, [packet], list(files))
            else:
                self.socket.send(packet)
        except OSError as error:
            raise ChannelClosed from error

    def receive(self) -> bytes:
        """Receive a message, for `decoded`. The kernel drops any files that the other side sends.

        BlockingIOError is raised if none arrives within the time limit of the socket.
        """
        try:
            length = self.socket.recv_into(self._buffer)
        except BlockingIOError:
            raise
        except OSError as error:
            raise ChannelClosed from error
        if not length:
            raise ChannelClosed
        return bytes(self._buffer[:length])

    def receive_with_files(self) -> tuple[Json, list[int]]:
        """Receive a message and the files sent with it. It is meant for the side that trusts its peer."""
        packet, files, _flags, _address = socket.recv_fds(self.socket, MAX_PACKET_BYTES, _MAX_FILES)
        if not packet:
            raise ChannelClosed
        return decoded(packet), files


def encoded(body: Json) -> bytes:
    return _ENCODER.encode(body).encode("utf-8", "surrogatepass")


def decoded(packet: bytes) -> Json:
    """Return the message. Raises InvalidMessage."""
    try:
        return _DECODER.decode(packet.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise InvalidMessage(f"not JSON: {type(error).__name__}") from error
