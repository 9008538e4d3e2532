"""Send the requests of many limits to Redis in one round trip, over one connection per event loop."""

import asyncio
from collections.abc import Sequence
from typing import Any

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError

from tenants.limits.rates.asking import Ask, Heard
from tenants.limits.rates.metrics import TRIPS
from tenants.limits.rates.script import SHA, TEXT

TIMEOUT_S = 1.0
"""The timeout after which a connection without an answer is closed."""
MAX_AT_ONCE = 1_000
"""The most limits in one round trip. Redis does nothing else while it runs the script."""

Words = list[str | int]


def words(keys: Sequence[str], asks: Sequence[Ask], process: str, *, together: bool = False) -> Words:
    """Return the arguments that follow the script's digest or its text."""
    said: Words = [len(keys), *keys, int(together), process]
    for ask in asks:
        said += (ask.what, ask.limit, ask.need, ask.want, ask.back, ask.debit, ask.soft)
    return said


def heard(answer: Sequence[Sequence[int]]) -> list[Heard]:
    return [Heard(int(granted), int(rest)) for granted, rest in answer]


class Trips:
    def __init__(self, url: str, process: str) -> None:
        # The reads have no timeout of their own, because a single one for the whole round trip is cheaper.
        pool: redis.asyncio.ConnectionPool = redis.asyncio.ConnectionPool.from_url(
            url, socket_timeout=None, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        )
        self._connection = pool.make_connection()  # type: ignore[no-untyped-call]
        self._process = process

    async def go(self, keys: Sequence[str], asks: Sequence[Ask]) -> list[Heard]:
        """Send the requests and return the answers. Raises RedisError or OSError, after which it is not known whether
        Redis has carried them out. Without keys, this only tests whether Redis answers.
        """
        answers: list[Heard] = []
        for start in range(0, max(1, len(keys)), MAX_AT_ONCE):
            part = slice(start, start + MAX_AT_ONCE)
            answers += heard(await self._ask(words(keys[part], asks[part], self._process)))
        return answers

    async def close(self) -> None:
        await self._connection.disconnect(nowait=True)

    async def _ask(self, said: Words) -> Any:
        TRIPS.inc()
        whole = False
        try:
            async with asyncio.timeout(TIMEOUT_S):
                try:
                    answer = await self._say("EVALSHA", SHA, *said)
                except NoScriptError:
                    answer = await self._say("EVAL", TEXT, *said)
            whole = True
        finally:
            if not whole:
                # The connection is closed, because a late answer must not be taken for the answer to the next request.
                await self._connection.disconnect(nowait=True)
        return answer

    async def _say(self, *spoken: str | int) -> Any:
        await self._connection.send_command(*spoken)
        return await self._connection.read_response()
