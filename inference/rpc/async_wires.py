"""Connect to Redis for one task at a time, as `Wire` does for a thread. The code that awaits a method bounds
its time.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError

from inference.rpc.commands import Command, Spoken
from inference.rpc.wires import SILENT_S, TIMEOUT_S


class AsyncWire:
    def __init__(self, url: str) -> None:
        pool: redis.asyncio.ConnectionPool = redis.asyncio.ConnectionPool.from_url(
            url, socket_timeout=None, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        )
        self._connection = pool.make_connection()  # type: ignore[no-untyped-call]
        self._unheard = 0
        self._used_s = 0.0

    async def say(self, spoken: Sequence[Spoken]) -> None:
        now_s = time.monotonic()
        if self._unheard or (now_s - self._used_s > SILENT_S and await self._is_stale()):
            await self.close()
        self._used_s = now_s
        self._unheard = len(spoken)
        await self._connection.send_packed_command(self._connection.pack_commands(spoken))

    async def hear(self) -> Any:
        """Return the next answer. If Redis answers with an error, it is raised like an error of the connection."""
        try:
            answer = await self._connection.read_response()
        except ResponseError:
            self._unheard -= 1
            raise
        self._unheard -= 1
        return answer

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        """Run the commands and return their answers. An error of a single command is returned as its answer; an error
        of the connection is raised.
        """
        async with asyncio.timeout(TIMEOUT_S):
            answers = await self._run([command.spoken() for command in commands])
            for position, command in enumerate(commands):
                if isinstance(answers[position], NoScriptError):
                    (answers[position],) = await self._run([command.spoken_whole()])
            return answers

    async def close(self) -> None:
        self._unheard = 0
        await self._connection.disconnect(nowait=True)

    async def _run(self, spoken: Sequence[Spoken]) -> list[Any]:
        await self.say(spoken)
        return [await self._hear_answer() for _ in spoken]

    async def _hear_answer(self) -> Any:
        try:
            return await self.hear()
        except ResponseError as error:
            return error

    async def _is_stale(self) -> bool:
        """Return whether the server has closed the connection while it was idle."""
        try:
            return bool(self._connection.is_connected and await self._connection.can_read())
        except (RedisError, OSError):
            return True
