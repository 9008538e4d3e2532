"""Pass a request body on as long as it keeps to its size and its time."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tenants.core.asgi.protocol import Message, Receive, Scope, header
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.errors import DomainError


class BodyTooLarge(DomainError):
    code = "request_too_large"


class BodyTooSlow(DomainError):
    code = "request_timeout"


class BodyMalformed(DomainError):
    code = "invalid_request"

    def __init__(self) -> None:
        super().__init__(
            "The chunks of the body are malformed, or the body broke off. Each chunk is its length in hexadecimal "
            "digits, a line break, its bytes and a line break; the last has the length 0."
        )


@dataclass(frozen=True)
class Deadlines:
    """The timeouts of bodies: from one chunk to the next, and for the whole body."""

    idle_s: float = 15.0
    request_s: float = 60.0
    upload_s: float = 1800.0


@dataclass(frozen=True)
class Allowance:
    max_bytes: int
    idle_s: float
    total_s: float
    too_large: Callable[[], DomainError]

    def check_length(self, content_length: str | None) -> None:
        """Refuse a body whose announced length is too large, before any of it is read."""
        if content_length is not None and content_length.isdecimal() and int(content_length) > self.max_bytes:
            raise self.too_large()


class GuardedBody:
    """A `receive` that counts bytes. When the body is complete it only passes messages on."""

    def __init__(self, scope: Scope, receive: Receive, allowance: Allowance, stop: Stop) -> None:
        self._in_chunks = header(scope, b"transfer-encoding") is not None
        self._receive = receive
        self._stop = stop
        self._allowance = allowance
        self._bytes = 0
        self._ends_at_s = time.monotonic() + allowance.total_s
        self.complete = False
        self._broke_off = False

    @property
    def is_malformed(self) -> bool:
        """Return whether a chunked body ended too early. The server reports this like a client that disconnects.

        A client that has really disconnected does not read the answer, so an answer does no harm.
        """
        return self._broke_off and self._in_chunks

    async def __call__(self) -> Message:
        if self.complete:
            return await self._receive()
        message = await self._next()
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            if self._bytes > self._allowance.max_bytes:
                raise self._allowance.too_large()
            self.complete = not message.get("more_body", False)
        elif message["type"] == "http.disconnect":
            self._broke_off = True
        return message

    async def _next(self) -> Message:
        now_s = time.monotonic()
        until_s = min(self._ends_at_s, now_s + self._allowance.idle_s)
        try:
            return await self._stop.wait(until_s, self._receive)
        except TimeoutError:
            if self._stop.told:
                raise Restarting() from None
            raise BodyTooSlow(self._what_was_slow(self._ends_at_s - now_s)) from None

    def _what_was_slow(self, left_s: float) -> str:
        if left_s <= self._allowance.idle_s:
            return f"The body did not arrive within {self._allowance.total_s:g} s; {self._bytes} bytes did."
        return f"No byte of the body arrived for {self._allowance.idle_s:g} s; {self._bytes} bytes did before."
