"""One connection that many threads share: whoever comes while it is busy is sent along with the others."""

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import redis

from inference.lane.commands import Command
from inference.lane.wires import Wire

MOST_TOGETHER = 64


class _Turn:
    __slots__ = ("answer", "command", "done", "error")

    def __init__(self, command: Command) -> None:
        self.command = command
        self.done = False
        self.answer: Any = None
        self.error: BaseException | None = None

    def end(self, answer: Any) -> None:
        if isinstance(answer, BaseException):
            self.error = answer
        else:
            self.answer = answer
        self.done = True


class CommandLine:
    def __init__(self, url: str) -> None:
        self._wire = Wire(url)
        self._waiting: deque[_Turn] = deque()
        self._lock = threading.Lock()

    def run(self, command: Command) -> Any:
        """Raises `redis.RedisError` where it was not, or perhaps not, carried out."""
        turn = _Turn(command)
        self._waiting.append(turn)
        with self._lock:
            while not turn.done:
                self._send()
        if turn.error is not None:
            raise redis.RedisError(str(turn.error)) from turn.error
        return turn.answer

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
