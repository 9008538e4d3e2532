"""One connection to Redis for one thread at a time: several things are said at once, then their answers are heard."""

import socket
import time
from collections.abc import Sequence
from typing import Any, cast

import redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import NoScriptError, ResponseError
from redis.retry import Retry

from inference.rpc.commands import Command, Spoken

Popped = tuple[bytes, bytes] | None
"""What a blocking pop gives: the key, and what was there."""

PATIENCE_S = 2.0
SILENT_S = 1.0
"""A connection that was used since is not asked whether it still stands."""
SLACK_S = 0.02
"""Setting a socket's time limit is a call to the system; one that is this little too long is left."""


class Wire:
    """Connects when it is needed. Without retries: a command that may have been carried out is not said twice.

    Whatever is left unheard, by an error or on purpose, closes it before the next is said, so that no answer is
    taken for another's.
    """

    def __init__(self, url: str) -> None:
        pool = redis.ConnectionPool.from_url(url, retry=Retry(NoBackoff(), 0))
        self._connection = cast("AbstractConnection", pool.make_connection())
        self._unheard = 0
        self._used_s = 0.0
        self._patience_s = 0.0

    def say(self, spoken: Sequence[Spoken], within_s: float = PATIENCE_S) -> None:
        """Raises `redis.RedisError` where it could not be said, in full, in time."""
        now_s = time.monotonic()
        if self._unheard or (now_s - self._used_s > SILENT_S and self._is_stale()):
            self.close()
        self._used_s = now_s
        self._limit(within_s)
        connection = self._connection
        if not connection.is_connected:
            connection.socket_timeout = connection.socket_connect_timeout = self._patience_s
            connection.connect()  # type: ignore[no-untyped-call]
        self._unheard = len(spoken)
        connection.send_packed_command(connection.pack_commands(spoken))  # type: ignore[no-untyped-call]

    def hear(self, within_s: float = PATIENCE_S) -> Any:
        """The next answer; an error that Redis answers with is raised, as one of the connection is."""
        self._limit(within_s)
        try:
            answer = self._connection.read_response()
        except ResponseError:
            self._unheard -= 1
            raise
        self._unheard -= 1
        return answer

    def run(self, commands: Sequence[Command], within_s: float = PATIENCE_S) -> list[Any]:
        """An error of a command itself is its answer; one of the connection is raised."""
        self.say([command.spoken() for command in commands], within_s)
        answers = [self.hear_answer(within_s) for _ in commands]
        return [
            self._run_whole(command, within_s) if isinstance(answer, NoScriptError) else answer
            for command, answer in zip(commands, answers, strict=True)
        ]

    def hear_answer(self, within_s: float = PATIENCE_S) -> Any:
        try:
            return self.hear(within_s)
        except ResponseError as error:
            return error

    def interrupt(self) -> None:
        """From another thread: whoever says or hears something here gets an error, at once."""
        connected = self._connection._get_socket()
        if connected is not None:
            try:
                connected.shutdown(socket.SHUT_RDWR)
            except OSError:
                return

    def close(self) -> None:
        self._unheard = 0
        self._connection.disconnect()  # type: ignore[no-untyped-call]

    def _run_whole(self, command: Command, within_s: float) -> Any:
        self.say([command.spoken_whole()], within_s)
        return self.hear_answer(within_s)

    def _limit(self, within_s: float) -> None:
        if not within_s <= self._patience_s <= within_s + SLACK_S:
            self._patience_s = max(0.001, within_s)
            self._connection.update_current_socket_timeout(self._patience_s)

    def _is_stale(self) -> bool:
        """The server went away while nothing was said: there is something to read, its goodbye."""
        try:
            return self._connection.is_connected and self._connection.can_read()
        except (redis.RedisError, OSError):
            return True


def pop(keys: Sequence[str], timeout_s: float) -> Spoken:
    # Rounded up, since nothing at all would mean forever.
    return ("BLPOP", *keys, max(0.001, round(timeout_s, 3)))
