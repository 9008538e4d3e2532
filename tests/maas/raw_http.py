"""HTTP that is written by hand, for what well-behaved clients never send."""

import socket
from dataclasses import dataclass
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class RawAnswer:
    status: int
    head: str
    body: bytes


class RawRequest:
    """A connection on which a test sends what it likes, when it likes."""

    def __init__(self, port: int, head: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        lines = "\r\n".join(line.strip() for line in head.strip().splitlines())
        self.send(f"{lines}\r\nHost: 127.0.0.1\r\n\r\n".encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    @property
    def port(self) -> int:
        """The port that this side of the connection has."""
        return int(self._socket.getsockname()[1])

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send_chunk(self, data: bytes) -> None:
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def send_until_refused(self, block: bytes, most: int) -> int:
        """Return how many bytes the other side, or the buffers in between, took before it hung up."""
        sent = 0
        try:
            while sent < most:
                self.send_chunk(block)
                sent += len(block)
        except OSError:
            pass
        return sent

    def receive(self, size: int) -> bytes:
        return self._socket.recv(size)

    def answer(self) -> RawAnswer:
        """Return the whole answer, if it states its length or if the connection is closed after it."""
        data = b""
        while (piece := self._try_receive()) and not _complete(data := data + piece):
            pass
        head, _, body = data.partition(b"\r\n\r\n")
        return RawAnswer(int(head.split()[1]), head.decode("latin-1").lower(), body)

    def _try_receive(self) -> bytes:
        try:
            return self._socket.recv(65536)
        except ConnectionResetError:
            return b""


def _complete(data: bytes) -> bool:
    head, end, body = data.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if end and line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return False
