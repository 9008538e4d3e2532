"""Ends an outgoing request from another thread, when the caller for whom it is made has disconnected."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

from tenants.core.http_client.addresses import Address
from tenants.core.http_client.errors import EgressFailed
from tenants.core.http_client.wire import Dial


class Cut:
    """The means to end one request. It is closed with the request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: socket.socket | None = None
        self.made = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._held is not None:
                self._held.close()
                self._held = None

    def make(self) -> None:
        """End the request: a waiting read at once, a wait for a look-up or connection when that ends."""
        with self._lock:
            self.made = True
            self._shut()

    def watching(self, dial: Dial) -> Dial:
        def watched(address: Address, port: int, timeout_s: float) -> socket.socket:
            connection = dial(address, port, timeout_s)
            self._hold(connection)
            return connection

        return watched

    def _hold(self, connection: socket.socket) -> None:
        """Keep a duplicate of the socket, because TLS detaches the original."""
        with self._lock:
            if self._held is not None:
                self._held.close()
            self._held = connection.dup()
            if not self.made:
                return
            self._shut()
        connection.close()
        raise EgressFailed("connection_failed", "The request was aborted.")

    def _shut(self) -> None:
        if self._held is not None:
            with suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)
