"""Writes usage events to the durable stream, with the events of many callers in one round trip."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from tenants.billing.metering.events import MeterEvent, write_event
from tenants.billing.metering.keys import FIELD, STREAM
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
TIMEOUT_S = 2.0
MAX_WAITING = 10_000
_ADD = b"*5\r\n$4\r\nXADD\r\n$%d\r\n%b\r\n$1\r\n*\r\n$%d\r\n%b\r\n" % (len(STREAM), STREAM, len(FIELD), FIELD)
"""The command up to its last argument, in the protocol of Redis. The library takes three times as long to write it."""


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
    command: bytes
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
        uses = [_Use(_command(event), due_s, loop.create_future()) for event in events]
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
                together, self._waiting = self._waiting, []
                await self._write(together)
        finally:
            self._writer = None
            left, self._waiting = self._waiting, []
            _end(left, [asyncio.CancelledError()] * len(left))

    async def _write(self, together: Sequence[_Use]) -> None:
        errors: Sequence[BaseException | None] = [asyncio.CancelledError()] * len(together)
        try:
            # The event that has waited longest sets the deadline for all, because the same Redis delayed the others.
            async with asyncio.timeout_at(together[0].due_s):
                errors = await self._say_twice(b"".join(use.command for use in together), len(together))
        except (RedisError, OSError) as error:
            errors = [error] * len(together)
        finally:
            _end(together, errors)
        self._tell(next(filter(None, errors), None))

    async def _say_twice(self, commands: bytes, count: int) -> Sequence[ResponseError | None]:
        """Send the commands, and again only if the connection broke. An event sent twice is counted once."""
        try:
            return await self._say(commands, count)
        except (redis.ConnectionError, OSError):
            return await self._say(commands, count)

    async def _say(self, commands: bytes, count: int) -> Sequence[ResponseError | None]:
        heard: list[ResponseError | None] = []
        try:
            await self._connection.send_packed_command([commands])
            while len(heard) < count:
                heard.append(await self._hear())
        finally:
            if len(heard) < count or any(heard):
                # Responses that were not read must not be mistaken for those of the next commands. A server that
                # refuses may have become a replica.
                await self._connection.disconnect(nowait=True)
        return heard

    async def _hear(self) -> ResponseError | None:
        try:
            await self._connection.read_response()
        except ResponseError as error:
            return error
        return None

    def _tell(self, error: BaseException | None) -> None:
        """Log an outage of Redis once each time it begins."""
        if error is not None and not self._away:
            log.warning("meter_stream_unavailable", error=str(error) or type(error).__name__)
        self._away = error is not None


def _command(event: MeterEvent) -> bytes:
    written = write_event(event)
    return b"%b$%d\r\n%b\r\n" % (_ADD, len(written), written)


def _end(uses: Sequence[_Use], errors: Sequence[BaseException | None]) -> None:
    for use, error in zip(uses, errors, strict=True):
        use.end(error)
