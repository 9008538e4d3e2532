"""Read entries from the cache Redis, and wait only a moment for them. The reads of many callers are sent together.

Nothing here raises an error: a Redis that is unavailable, slow or answers unexpectedly counts as empty.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from inference.cache.metrics import REMOTE_FAILURES
from inference.core.breaker import Breaker

log = structlog.get_logger(__name__)

TIMEOUT_S = 0.04
"""The timeout of a caller, who then goes on as if nothing was found."""
TRIP_S = 1.0
"""The timeout after which the connection is closed. A late answer that comes sooner is read and discarded, so that it
is not taken for the answer to another read.
"""

Entries = list[bytes | None]


@dataclass(frozen=True, slots=True)
class _Look:
    keys: Sequence[bytes]
    found: "asyncio.Future[Entries]"


class RemoteReader:
    """The reader of entries. Each event loop has one."""

    def __init__(self, url: str, breaker: Breaker, *, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._connection = connection_to(url)
        self._breaker = breaker
        self._waiting: list[_Look] = []
        self._asker: asyncio.Task[None] | None = None
        self._in_vain = False
        """True if a caller has given up waiting for the read in progress."""

    async def get(self, keys: Sequence[bytes]) -> Entries:
        loop = asyncio.get_running_loop()
        if self._in_vain or not self._breaker.asks(loop.time()):
            # After a read has timed out for one caller, no other caller waits for it.
            return [None] * len(keys)
        look = _Look(keys, loop.create_future())
        self._waiting.append(look)
        if self._asker is None:
            self._asker = loop.create_task(self._ask_on())
        timer = loop.call_later(self._timeout_s, self._give_up, look)
        try:
            return await look.found
        finally:
            timer.cancel()

    async def close(self) -> None:
        if self._asker is not None:
            await asyncio.wait([self._asker], timeout=TRIP_S)
        await self._connection.disconnect(nowait=True)

    def _give_up(self, look: _Look) -> None:
        if not look.found.done():
            self._in_vain = True
            self._note_failure("it did not answer in time")
            _tell_all([look], None)

    async def _ask_on(self) -> None:
        try:
            while self._waiting:
                looks = [look for look in self._waiting if not look.found.done()]
                self._waiting = []
                if looks:
                    await self._ask(looks)
        finally:
            self._asker = None
            # This is also needed if all callers had given up before the read began.
            self._in_vain = False
            left, self._waiting = self._waiting, []
            _tell_all(left, None)

    async def _ask(self, looks: Sequence[_Look]) -> None:
        found: Entries | None = None
        loop = asyncio.get_running_loop()
        asked_s = loop.time()
        try:
            async with asyncio.timeout(TRIP_S):
                found = await self._trip([key for look in looks for key in look.keys])
        except (RedisError, OSError) as error:
            if not isinstance(error, TimeoutError):
                self._note_failure(str(error) or type(error).__name__)
        finally:
            self._in_vain = False
            if found is None:
                await self._connection.disconnect(nowait=True)
            _tell_all(looks, found)
        if found is not None and loop.time() - asked_s < self._timeout_s and self._breaker.succeeded():
            log.info("result_cache_available")

    async def _trip(self, keys: Sequence[bytes]) -> Entries:
        await self._connection.send_packed_command([_mget(keys)])
        found = await self._connection.read_response(disable_decoding=True)
        if not isinstance(found, list) or len(found) != len(keys):
            raise ResponseError(f"{len(keys)} keys were asked for, and another number of answers came")
        return found

    def _note_failure(self, why: str) -> None:
        REMOTE_FAILURES.labels("read").inc()
        if self._breaker.failed(asyncio.get_running_loop().time()):
            log.warning("result_cache_unavailable", error=why)


def connection_to(url: str) -> "redis.asyncio.Connection":
    """Return a connection that sends nothing until it is used. The code that uses it bounds the time."""
    pool: redis.asyncio.ConnectionPool = redis.asyncio.ConnectionPool.from_url(
        url, socket_timeout=None, socket_connect_timeout=TRIP_S, retry=Retry(NoBackoff(), 0)
    )
    return pool.make_connection()  # type: ignore[no-untyped-call,no-any-return]


def _mget(keys: Sequence[bytes]) -> bytes:
    """Return the MGET command in the Redis protocol. Serializing it with the library takes several times as long."""
    parts = [b"*%d\r\n$4\r\nMGET\r\n" % (len(keys) + 1)]
    parts += [b"$%d\r\n%b\r\n" % (len(key), key) for key in keys]
    return b"".join(parts)


def _tell_all(looks: Sequence[_Look], found: Entries | None) -> None:
    start = 0
    for look in looks:
        end = start + len(look.keys)
        if not look.found.done():
            look.found.set_result([None] * len(look.keys) if found is None else found[start:end])
        start = end
