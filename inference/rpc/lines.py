"""One connection that many threads share: whoever comes while it is busy is sent along with the others."""

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import redis

from inference.rpc.commands import Command
from inference.rpc.wires import Wire

MOST_TOGETHER = 64


class _Turn:
    __slots__ = ("answer", "command", "done")

    def __init__(self, command: Command) -> None:
        self.command = command
        self.done = False
        self.answer: Any = None

    def end(self, answer: Any) -> None:
        self.answer = answer
        self.done = True


class CommandLine:
    def __init__(self, url: str) -> None:
        self._wire = Wire(url)
        self._waiting: deque[_Turn] = deque()
        self._lock = threading.Lock()

    def run(self, command: Command) -> Any:
        """Raises `redis.RedisError` where it was not, or perhaps not, carried out."""
        (answer,) = self.run_all([command])
        if isinstance(answer, BaseException):
            raise redis.RedisError(str(answer)) from answer
        return answer

    def run_all(self, commands: Sequence[Command]) -> list[Any]:
        """In one go; what was not, or perhaps not, carried out has an error for its answer."""
        turns = [_Turn(command) for command in commands]
        self._waiting.extend(turns)
        with self._lock:
            while not all(turn.done for turn in turns):
                self._send()
        return [turn.answer for turn in turns]

    def close(self) -> None:
        with self._lock:
            self._wire.close()

    def _send(self) -> None:
        turns = [self._waiting.popleft() for _ in range(min(MOST_TOGETHER, len(self._waiting)))]
        answers: Sequence[Any] = ()
        failure: BaseException = redis.ConnectionError("the command was interrupted")
        try:
            answers = self._wire.run([turn.command for turn in turns])
        except (redis.RedisError, OSError) as error:
            failure = error
        finally:
            # However this ends, nobody is left waiting.
            for turn, answer in zip(turns, answers or [failure] * len(turns), strict=True):
                turn.end(answer)
