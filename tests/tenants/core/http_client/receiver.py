"""A server that answers with the bytes that a test gives it, however wrong or slow they are."""

import socket
import ssl
import threading
from collections.abc import Sequence
from itertools import chain, repeat

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Receiver:
    """A server that sends `pieces` to every caller, then `endlessly` for as long as the caller listens, `every_s`
    seconds apart.

    A receiver that does not listen begins at once, and takes nothing of what is sent. A receiver that sips takes it bit
    by bit.
    """

    def __init__(
        self,
        pieces: Sequence[bytes] = (OK,),
        tls: ssl.SSLContext | None = None,
        *,
        endlessly: bytes = b"",
        every_s: float = 0.0,
        listens: bool = True,
        sips: bool = False,
    ) -> None:
        self._pieces, self._tls = pieces, tls
        self._endlessly, self._every_s, self._listens = endlessly, every_s, listens
        self._sips, self.sipped = sips, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._closing = threading.Event()
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[bytes] = []
        self.names: list[str | None] = []
        """The names that were requested in TLS."""
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: self.names.append(name)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(caller,), daemon=True).start()

    def _serve(self, caller: socket.socket) -> None:
        try:
            with self._tls.wrap_socket(caller, server_side=True) if self._tls else caller as talk:
                while self._sips and not self._closing.wait(self._every_s):
                    self.sipped += len(talk.recv(8192))
                if self._listens:
                    self.requests.append(_request(talk))
                for piece in chain(self._pieces, repeat(self._endlessly) if self._endlessly else ()):
                    talk.sendall(piece)
                    if self._closing.wait(self._every_s):
                        return
        except OSError:
            caller.close()


def _request(talk: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += talk.recv(65536) or b"\r\n\r\n"
    head, _, body = received.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += talk.recv(65536)
    return head + b"\r\n\r\n" + body
