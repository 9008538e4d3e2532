"""Writes usage events to the durable stream, with the events of many callers in one round trip."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from tenants.billing.metering.events import MeterEvent, write_event
from tenants.billing.metering.keys import FIELD, STREAM
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
TIMEOUT_S = 2.0
MAX_WAITING = 10_000
TOGETHER = 1_000
"""The most events of one command. Redis does nothing else while it runs."""
_SCRIPT = b"for _, event in ipairs(ARGV) do redis.call('XADD', KEYS[1], '*', '%b', event) end return #ARGV" % FIELD
"""One command for all events of a round trip, because each answer takes as long to read as an event to write."""
_HEAD = b"$4\r\nEVAL\r\n$%d\r\n%b\r\n$1\r\n1\r\n$%d\r\n%b\r\n" % (len(_SCRIPT), _SCRIPT, len(STREAM), STREAM)
"""The command up to the events, in the protocol of Redis. The library takes three times as long to write it."""


class MeteringUnavailable(DomainError):
    """The error for an unavailable stream. The event may be in it, if Redis took it but could not confirm."""

    code = "metering_unavailable"
    gate = "metering"

    def __init__(self) -> None:
        super().__init__(
            "The usage of this call could not be recorded, so the response is withheld. "
            "Send the request again in a second.",
            extra={"retry_after_s": 1},
        )


@dataclass(frozen=True, slots=True)
class _Use:
    event: bytes
    """The event as an argument of the command."""
    due_s: float
    """The deadline on the event loop's clock."""
    taken: "asyncio.Future[None]"

    def end(self, error: BaseException | None) -> None:
        if self.taken.done():
            return  # the caller has left
        if error is None:
            self.taken.set_result(None)
        else:
            refusal = MeteringUnavailable()
            refusal.__cause__ = error
            self.taken.set_exception(refusal)


class MeterStream:
    """The writer of one event loop. A caller that leaves does not affect others, because a separate task writes."""

    def __init__(self, url: str) -> None:
        # Single reads have no time limit, because one limit for the whole round trip is cheaper.
        pool: redis.asyncio.ConnectionPool = redis.asyncio.ConnectionPool.from_url(
            url, socket_timeout=None, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        )
        self._connection = pool.make_connection()  # type: ignore[no-untyped-call]
        self._waiting: list[_Use] = []
        self._writer: asyncio.Task[None] | None = None
        self._away = False

    async def add(self, *events: MeterEvent) -> None:
        """Return when the events are in the stream. Raise MeteringUnavailable if Redis does not take them in time.

        They are written even if their caller is canceled meanwhile, because the usage has happened.
        """
        if len(self._waiting) + len(events) > MAX_WAITING:
            raise MeteringUnavailable
        loop = asyncio.get_running_loop()
        due_s = loop.time() + TIMEOUT_S
        uses = [_Use(_argument(event), due_s, loop.create_future()) for event in events]
        self._waiting += uses
        if self._writer is None and uses:
            self._writer = loop.create_task(self._write_on())
        if len(uses) == 1:
            await uses[0].taken
        else:
            await asyncio.gather(*(use.taken for use in uses))

    async def close(self) -> None:
        """Wait for the writer to finish and disconnect."""
        if self._writer is not None:
            await asyncio.wait([self._writer])
        await self._connection.disconnect(nowait=True)

    async def _write_on(self) -> None:
        try:
            while self._waiting:
                together, self._waiting = self._waiting[:TOGETHER], self._waiting[TOGETHER:]
                await self._write(together)
        finally:
            self._writer = None
            left, self._waiting = self._waiting, []
            _end(left, asyncio.CancelledError())

    async def _write(self, together: Sequence[_Use]) -> None:
        error: BaseException | None = asyncio.CancelledError()
        command = b"*%d\r\n%b%b" % (4 + len(together), _HEAD, b"".join(use.event for use in together))
        try:
            # The event that has waited longest sets the deadline for all, because the same Redis delayed the others.
            async with asyncio.timeout_at(together[0].due_s):
                await self._say_twice(command)
            error = None
        except (RedisError, OSError) as failure:
            error = failure
        finally:
            _end(together, error)
        self._tell(error)

    async def _say_twice(self, command: bytes) -> None:
        """Send the command, and again only if the connection broke. An event sent twice is counted once."""
        try:
            await self._say(command)
        except (redis.ConnectionError, OSError):
            await self._say(command)

    async def _say(self, command: bytes) -> None:
        heard = False
        try:
            await self._connection.send_packed_command([command])
            await self._connection.read_response()
            heard = True
        finally:
            if not heard:
                # A response that was not read must not be mistaken for that of the next command. A server that refuses
                # may have become a replica.
                await self._connection.disconnect(nowait=True)

    def _tell(self, error: BaseException | None) -> None:
        """Log an outage of Redis once each time it begins."""
        if error is not None and not self._away:
            log.warning("meter_stream_unavailable", error=str(error) or type(error).__name__)
        self._away = error is not None


def _argument(event: MeterEvent) -> bytes:
    written = write_event(event)
    return b"$%d\r\n%b\r\n" % (len(written), written)


def _end(uses: Sequence[_Use], error: BaseException | None) -> None:
    for use in uses:
        use.end(error)
