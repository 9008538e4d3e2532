"""Connect to Redis for one thread at a time. Several commands are sent at once, and their answers are read
afterwards.
"""

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
"""The result of a blocking pop: the key and its value, or None."""

TIMEOUT_S = 2.0
SILENT_S = 1.0
"""The time after its last use for which a connection is not checked before it is used again."""
SLACK_S = 0.02
"""The excess that a socket's timeout may have before it is set again, because setting it takes a system call."""


class Wire:
    """A connection that opens when it is needed. It does not retry, because a command that may have been carried out
    must not be sent twice.

    If an answer was left unread, by an error or on purpose, the connection is closed before the next command, so that
    no answer is taken for that of another command.
    """

    def __init__(self, url: str) -> None:
        pool = redis.ConnectionPool.from_url(url, retry=Retry(NoBackoff(), 0))
        self._connection = cast("AbstractConnection", pool.make_connection())
        self._unheard = 0
        self._used_s = 0.0
        self._timeout_s = 0.0

    def say(self, spoken: Sequence[Spoken], within_s: float = TIMEOUT_S) -> None:
        """Send the commands. Raises `redis.RedisError` if they could not be sent completely and in time."""
        now_s = time.monotonic()
        if self._unheard or (now_s - self._used_s > SILENT_S and self._is_stale()):
            self.close()
        self._used_s = now_s
        self._limit(within_s)
        connection = self._connection
        if not connection.is_connected:
            connection.socket_timeout = connection.socket_connect_timeout = self._timeout_s
            connection.connect()  # type: ignore[no-untyped-call]
        self._unheard = len(spoken)
        connection.send_packed_command(connection.pack_commands(spoken))  # type: ignore[no-untyped-call]

    def hear(self, within_s: float = TIMEOUT_S) -> Any:
        """Return the next answer. If Redis answers with an error, it is raised like an error of the connection."""
        self._limit(within_s)
        try:
            answer = self._connection.read_response()
        except ResponseError:
            self._unheard -= 1
            raise
        self._unheard -= 1
        return answer

    def run(self, commands: Sequence[Command], within_s: float = TIMEOUT_S) -> list[Any]:
        """Run the commands and return their answers. An error of a single command is returned as its answer; an error
        of the connection is raised.
        """
        self.say([command.spoken() for command in commands], within_s)
        answers = [self.hear_answer(within_s) for _ in commands]
        return [
            self._run_whole(command, within_s) if isinstance(answer, NoScriptError) else answer
            for command, answer in zip(commands, answers, strict=True)
        ]

    def hear_answer(self, within_s: float = TIMEOUT_S) -> Any:
        try:
            return self.hear(within_s)
        except ResponseError as error:
            return error

    def interrupt(self) -> None:
        """Interrupt from another thread: the thread that sends or reads here gets an error at once."""
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
        if not within_s <= self._timeout_s <= within_s + SLACK_S:
            self._timeout_s = max(0.001, within_s)
            self._connection.update_current_socket_timeout(self._timeout_s)

    def _is_stale(self) -> bool:
        """Return whether the server has closed the connection while it was idle. In this case there is something to
        read: the end of the connection.
        """
        try:
            return self._connection.is_connected and self._connection.can_read()
        except (redis.RedisError, OSError):
            return True


def pop(keys: Sequence[str], timeout_s: float) -> Spoken:
    # The timeout is rounded up, because 0 would mean to wait forever.
    return ("BLPOP", *keys, max(0.001, round(timeout_s, 3)))
