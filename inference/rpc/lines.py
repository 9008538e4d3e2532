"""Share one connection between many threads: commands that arrive while it is busy are sent together afterwards."""

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import redis

from inference.rpc.commands import Command
from inference.rpc.wires import Wire

MAX_TOGETHER = 64


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
        """Run the command and return its answer. Raises `redis.RedisError` if it was not, or perhaps not,
        carried out.
        """
        (answer,) = self.run_all([command])
        if isinstance(answer, BaseException):
            raise redis.RedisError(str(answer)) from answer
        return answer

    def run_all(self, commands: Sequence[Command]) -> list[Any]:
        """Run the commands together and return their answers. The answer is an error for a command that was not, or
        perhaps not, carried out.
        """
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
        turns = [self._waiting.popleft() for _ in range(min(MAX_TOGETHER, len(self._waiting)))]
        answers: Sequence[Any] = ()
        failure: BaseException = redis.ConnectionError("the command was interrupted")
        try:
            answers = self._wire.run([turn.command for turn in turns])
        except (redis.RedisError, OSError) as error:
            failure = error
        finally:
            # All waiting threads get an answer, however this ends.
            for turn, answer in zip(turns, answers or [failure] * len(turns), strict=True):
                turn.end(answer)
