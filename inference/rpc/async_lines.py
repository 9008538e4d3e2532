"""Share one connection between many tasks: commands that arrive while it is busy are sent together afterwards."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any

import redis
from redis.exceptions import RedisError

from inference.rpc.async_wires import AsyncWire
from inference.rpc.commands import Command
from inference.rpc.lines import MAX_TOGETHER


class AsyncCommandLine:
    """A connection for many tasks. A task that is canceled does not disturb the others, because a separate task sends
    the commands.
    """

    def __init__(self, url: str) -> None:
        self._wire = AsyncWire(url)
        self._waiting: deque[tuple[Command, asyncio.Future[Any]]] = deque()
        self._sender: asyncio.Task[None] | None = None

    async def run(self, command: Command) -> Any:
        """Run the command and return its answer. Raises `redis.RedisError` if it was not, or perhaps not,
        carried out.
        """
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, answer))
        if self._sender is None:
            self._sender = asyncio.create_task(self._send_on())
        return await answer

    async def close(self) -> None:
        if self._sender is not None:
            await self._sender
        await self._wire.close()

    async def _send_on(self) -> None:
        try:
            while self._waiting:
                await self._send()
        finally:
            self._sender = None

    async def _send(self) -> None:
        together = [self._waiting.popleft() for _ in range(min(MAX_TOGETHER, len(self._waiting)))]
        answers: Sequence[Any] = ()
        failure: Exception = redis.ConnectionError("the command was interrupted")
        try:
            answers = await self._wire.run([command for command, _answer in together])
        except (RedisError, OSError) as error:
            failure = error
        finally:
            for position, (_command, answer) in enumerate(together):
                _settle(answer, answers[position] if answers else failure)


def _settle(answer: "asyncio.Future[Any]", said: Any) -> None:
    if answer.done():
        return
    if isinstance(said, BaseException):
        error = RedisError(str(said))
        error.__cause__ = said
        answer.set_exception(error)
    else:
        answer.set_result(said)
