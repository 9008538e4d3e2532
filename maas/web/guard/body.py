"""Lets a body through while it keeps to its size and its time."""

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
    """For bodies: from one piece to the next, and for all of them."""

    idle_s: float = 15.0
    request_s: float = 60.0
    upload_s: float = 1800.0


@dataclass(frozen=True)
class Allowance:
    most_bytes: int
    idle_s: float
    total_s: float
    too_large: Callable[[], DomainError]

    def check_length(self, content_length: str | None) -> None:
        """Refuses a body that announces itself as too large before any of it is read."""
        if (
            content_length is not None
            and content_length.isdecimal()
            and int(content_length) > self.most_bytes
        ):
            raise self.too_large()


class GuardedBody:
    """A `receive` that counts; once the body is whole it only passes on what comes."""

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
        """Whether a body in chunks ended too soon: the server reports that as if the caller had hung up.

        Who has hung up in fact does not read the answer.
        """
        return self._broke_off and self._in_chunks

    async def __call__(self) -> Message:
        if self.complete:
            return await self._receive()
        message = await self._next()
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            if self._bytes > self._allowance.most_bytes:
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
        return (
            f"No byte of the body arrived for {self._allowance.idle_s:g} s; {self._bytes} bytes did before."
        )
