"""Provide a connection between client and service that can be cut, or lose what comes back through it."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class Cable:
    """A relay that carries bytes both ways between a port of its own and the service."""

    def __init__(self, url: str) -> None:
        to = urlsplit(url)
        self._service = (to.hostname or "", to.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._ends: list[socket.socket] = []
        self._answers_to_lose = 0
        self.answers_lost = 0
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def lose_next_answer(self) -> None:
        """Lose the next answer: the service carries out the request, but the client does not receive the answer."""
        self._answers_to_lose += 1

    def cut(self) -> None:
        with self._lock:
            ends, self._ends = self._ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._service)
                with self._lock:
                    self._ends += [near, far]
                self.connections += 1
                threading.Thread(target=self._carry, args=[near, far, False], daemon=True).start()
                threading.Thread(target=self._carry, args=[far, near, True], daemon=True).start()

    def _carry(self, start: socket.socket, end: socket.socket, is_answer: bool) -> None:
        with contextlib.suppress(OSError):
            while data := start.recv(65536):
                if is_answer and self._answers_to_lose:
                    self._answers_to_lose -= 1
                    self.answers_lost += 1
                    break
                end.sendall(data)
        for side in (start, end):
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
