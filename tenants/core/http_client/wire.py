"""A connection to an address that was chosen before, with limits against any other side, and the means to end it."""

import io
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tenants.core.http_client.addresses import Address
from tenants.core.http_client.errors import EgressFailed

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

Dial = Callable[[Address, int, float], socket.socket]

MAX_ADDRESSES = 4
"""The most addresses of one name that are tried. More of them would leave too little time for each."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A deadline that arriving bytes do not extend."""

    ends_at_s: float
    allowed_s: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def within(cls, seconds: float, clock: Callable[[], float] = monotonic) -> "Deadline":
        return cls(clock() + seconds, seconds, clock)

    def left_s(self) -> float:
        """Return the seconds that are left, as a socket's timeout, so never 0. Raises EgressFailed at the end."""
        left = self.ends_at_s - self.clock()
        if left <= 0:
            raise EgressFailed("answer_timeout", f"The request took longer than {self.allowed_s:g} seconds.")
        return left

    def sooner(self, seconds: float) -> "Deadline":
        """Return a deadline within this one, of at most `seconds` from now."""
        return Deadline(min(self.ends_at_s, self.clock() + seconds), seconds, self.clock)


def dial(address: Address, port: int, timeout_s: float) -> socket.socket:
    connection = socket.create_connection((str(address), port), timeout_s)
    # A request is two writes, and the second write would wait until the first is acknowledged.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def reach(addresses: Sequence[Address], port: int, deadline: Deadline, dial: Dial) -> socket.socket:
    """Connect to the first address that responds. Each gets its share of the time that is left."""
    chosen = addresses[:MAX_ADDRESSES]
    reason = ""
    for tried, address in enumerate(chosen):
        try:
            return dial(address, port, deadline.left_s() / (len(chosen) - tried))
        except OSError as error:
            reason = _reason(error, deadline)
    raise EgressFailed("connection_failed", f"No connection to port {port}: {reason}.")


def _reason(error: OSError, deadline: Deadline) -> str:
    if isinstance(error, TimeoutError):
        return f"nobody answered within {deadline.allowed_s:g} seconds"
    return (error.strerror or "it was not taken").lower()


@cache
def trusted() -> ssl.SSLContext:
    """Return TLS settings with the system's certificate authorities, or those of SSL_CERT_FILE."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def secure(plain: socket.socket, host: str, context: ssl.SSLContext, deadline: Deadline) -> ssl.SSLSocket:
    """Start TLS. The certificate must be for the host name, whatever its address is."""
    try:
        plain.settimeout(deadline.left_s())
        return context.wrap_socket(plain, server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        raise EgressFailed(
            "tls_failed", f"The certificate of '{host}' is not valid: {error.verify_message}."
        ) from error
    except TimeoutError:
        raise EgressFailed(
            "tls_failed", f"'{host}' did not finish the TLS handshake within {deadline.allowed_s:g} seconds."
        ) from None
    except OSError as error:
        raise EgressFailed("tls_failed", f"'{host}' does not support TLS 1.2 or later.") from error


class Wire:
    """A replacement for the socket of http.client, which supports neither a deadline nor a limit on bytes."""

    def __init__(self, connection: socket.socket, deadline: Deadline, *, max_bytes: int) -> None:
        self._connection = connection
        self._incoming = Incoming(connection, deadline, max_bytes)
        self._deadline = deadline

    def sendall(self, data: "ReadableBuffer") -> None:
        rest = memoryview(data).cast("B")
        while rest:
            self._connection.settimeout(self._deadline.left_s())
            rest = rest[self._connection.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._incoming)

    def allow(self, more_bytes: int) -> None:
        self._incoming.max_bytes += more_bytes

    def close(self) -> None:
        """Do nothing: http.client closes while the response is still read. The creator closes the connection."""


class Incoming(io.RawIOBase):
    """The incoming bytes, counted as they arrive, including chunk frames, trailers and endless headers."""

    def __init__(self, connection: socket.socket, deadline: Deadline, max_bytes: int) -> None:
        super().__init__()
        self._connection = connection
        self._deadline = deadline
        self.max_bytes = max_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        if self.max_bytes <= 0:
            raise EgressFailed("answer_too_large", "The response has too many headers or frames.")
        self._connection.settimeout(self._deadline.left_s())
        count = self._connection.recv_into(buffer)
        self.max_bytes -= count
        return count


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
