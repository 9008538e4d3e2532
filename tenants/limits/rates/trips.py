"""The questions of many gates to Redis in one trip, over one connection of an event loop."""

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
"""A connection on which nothing was heard for so long is given up."""
MOST_AT_ONCE = 1_000
"""Limits in one trip: Redis does nothing else meanwhile."""

Words = list[str | int]


def words(keys: Sequence[str], asks: Sequence[Ask], process: str, *, together: bool = False) -> Words:
    """What follows the script's name, or its text."""
    said: Words = [len(keys), *keys, int(together), process]
    for ask in asks:
        said += (ask.what, ask.limit, ask.need, ask.want, ask.back, ask.debit, ask.soft)
    return said


def heard(answer: Sequence[Sequence[int]]) -> list[Heard]:
    return [Heard(int(granted), int(rest)) for granted, rest in answer]


class Trips:
    def __init__(self, url: str, process: str) -> None:
        # No time limit for each read, as one for the whole trip is cheaper.
        pool: redis.asyncio.ConnectionPool = redis.asyncio.ConnectionPool.from_url(
            url, socket_timeout=None, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        )
        self._connection = pool.make_connection()  # type: ignore[no-untyped-call]
        self._process = process

    async def go(self, keys: Sequence[str], asks: Sequence[Ask]) -> list[Heard]:
        """Raises RedisError or OSError; whether Redis has heard is not known then. Without a key it only answers."""
        answers: list[Heard] = []
        for start in range(0, max(1, len(keys)), MOST_AT_ONCE):
            part = slice(start, start + MOST_AT_ONCE)
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
                # An answer that nobody heard must not be taken for that to the next question.
                await self._connection.disconnect(nowait=True)
        return answer

    async def _say(self, *spoken: str | int) -> Any:
        await self._connection.send_command(*spoken)
        return await self._connection.read_response()
