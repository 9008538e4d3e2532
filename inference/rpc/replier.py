"""Send a worker's answers. Those that end together are sent in one step, and sending is retried while Redis is
unavailable.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import structlog

from inference.rpc.commands import Command
from inference.rpc.limits import LaneLimits
from inference.rpc.lines import CommandLine
from inference.rpc.metrics import REQUESTS, WAIT_SECONDS
from inference.rpc.outcomes import Outcome, Outcomes, told
from inference.rpc.replies import reply_command, together
from inference.rpc.runs import Run, Taken
from inference.rpc.socket_server import Connection

log = structlog.get_logger(__name__)

RECONNECT_S = 0.2
REPLY_TRIES_S = 5.0
"""The time for which a finished answer is sent again while Redis is unavailable."""


@dataclass(slots=True)
class Reply:
    taken: Taken
    payload: bytes
    command: Command | None = None
    """The command that sends the answer by Redis, or None if its connection takes it."""

    @property
    def size_bytes(self) -> int:
        return len(self.payload)


class Replier:
    def __init__(self, line: CommandLine, outcomes: Outcomes, limits: LaneLimits, stopping: threading.Event) -> None:
        self._line = line
        self._outcomes = outcomes
        self._limits = limits
        self._stopping = stopping

    def replies(self, run: Run, members: Sequence[Taken], outcome: Outcome, run_ms: float) -> list[Reply]:
        replies = []
        for place, taken in enumerate(members):
            # The run counts as made for the first of the callers who still wait; the others joined it.
            payload = self._outcomes.payload_for(taken, outcome, run_ms, run.call.spent, joined=place > 0)
            command = None
            if taken.connection is None:
                command = reply_command(taken, payload, taken.deadline_s - time.monotonic(), self._limits)
            replies.append(Reply(taken, payload, command))
        return replies

    def send(self, replies: Sequence[Reply]) -> None:
        """Send the replies. Each by Redis is retried until it has surely been sent, or until its caller would no
        longer read it.
        """
        self.send_by_sockets(replies)
        self.send_by_redis(replies)

    def send_by_redis(self, replies: Sequence[Reply]) -> None:
        commands = together([reply.command for reply in replies if reply.command is not None])
        if not commands:
            return
        last_s = max(reply.taken.deadline_s for reply in replies)
        until_s = min(last_s, time.monotonic() + REPLY_TRIES_S)
        while True:
            failed = [
                (command, answer)
                for command, answer in zip(commands, self._line.run_all(commands), strict=True)
                if isinstance(answer, BaseException)
            ]
            if not failed:
                return
            if time.monotonic() + RECONNECT_S >= until_s or self._stopping.wait(RECONNECT_S):
                log.warning("rpc_reply_not_sent", model=replies[0].taken.model_key, error=str(failed[0][1]))
                return
            commands = [command for command, _error in failed]

    @staticmethod
    def send_by_sockets(replies: Sequence[Reply]) -> None:
        """Send the replies to each connection in one frame. This does not wait."""
        by_connection: dict[Connection, list[tuple[int, bytes]]] = {}
        for reply in replies:
            if reply.taken.connection is not None:
                by_connection.setdefault(reply.taken.connection, []).append((reply.taken.number, reply.payload))
        for connection, answers in by_connection.items():
            connection.answer(answers)

    @staticmethod
    def count(ended: Sequence[tuple[Run, Outcome]], members: Sequence[Sequence[Taken]]) -> None:
        """Count runs that ended together, and the requests that they served."""
        for (model_key, how), served in _by_model_and_outcome(ended, members).items():
            REQUESTS.labels(model_key, how).inc(sum(max(1, len(taken)) for taken in served))
            waits = WAIT_SECONDS.labels(model_key)
            for taken in chain.from_iterable(served):
                waits.observe(taken.queue_s + taken.load_s)


def _by_model_and_outcome(
    ended: Sequence[tuple[Run, Outcome]], members: Sequence[Sequence[Taken]]
) -> dict[tuple[str, str], list[Sequence[Taken]]]:
    found: dict[tuple[str, str], list[Sequence[Taken]]] = {}
    for (run, outcome), taken in zip(ended, members, strict=True):
        found.setdefault((run.model_key, told(outcome)), []).append(taken)
    return found
