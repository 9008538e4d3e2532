"""The parent's handle on one sandboxed child process that answers a request at a time."""

import socket
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from inference.core.calls import Call
from inference.core.errors import CallCanceled

from .errors import (
    ChildDied,
    ChildFailed,
    ChildMisbehaved,
    ChildOutOfMemory,
    ChildTimedOut,
    SandboxUnavailable,
)
from .inside.channel import ChannelClosed, ChannelTimedOut, InvalidMessage, Json, receive, send
from .inside.main import END
from .program import ChildLimits, Program, RequestLimits
from .template_process import TemplateProcess

_GRACE_S = 5.0
"""The seconds that the template has after the end of a request's time to report how the fork ended."""
_MAX_END_BYTES = 4096


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a fork as its template reports it."""

    exit_status: int
    timed_out: bool


class Child(TemplateProcess):
    """A template process that answers each request in a new fork. It serves one request at a time."""

    def __init__(
        self,
        program: Program,
        limits: ChildLimits,
        bubblewrap: Path | None,
        cwd: Path,
        needs: Set[str] = frozenset(),
        *,
        may_write: bool = False,
        nice: int = 0,
    ) -> None:
        """Start the child as `TemplateProcess` does."""
        super().__init__(program, limits, bubblewrap, cwd, needs, may_write=may_write, nice=nice)
        self.served = 0
        self._is_free = True

    def is_ready(self) -> bool:
        """Returns whether the child lives and the last request's fork is known to have ended."""
        return self._is_free and self.is_running

    def ask(self, request: Json, files: Sequence[int], limits: RequestLimits, call: Call | None = None) -> Json:
        """Returns the program's untrusted answer. A canceled call ends the fork, and the child is ready soon after."""
        call = call or Call()
        deadline = time.monotonic() + limits.wall_s
        self.served += 1
        self._is_free = False
        with self._order_fork(limits, deadline) as channel, _hung_up_on_cancel(channel, call):
            answer = _exchange(channel, request, files, self._limits.reply_bytes, deadline)
        if answer is None and call.canceled:
            self._end_fork()
            raise CallCanceled
        end = self._await_end(deadline + _GRACE_S)
        self._is_free = True
        if isinstance(answer, InvalidMessage):
            raise ChildMisbehaved(str(answer)) from answer
        if end.timed_out or (answer is None and time.monotonic() >= deadline):
            raise ChildTimedOut(f"no answer within {limits.wall_s} s")
        if answer is None or end.exit_status != 0:
            raise ChildDied(end.exit_status)
        return _value_of(answer)

    def _order_fork(self, limits: RequestLimits, deadline: float) -> socket.socket:
        """Returns the socket to a fork that has the other end and nothing else of this process."""
        mine, theirs = socket.socketpair()
        try:
            with theirs:
                send(self._control, asdict(limits), [theirs.fileno()], deadline)
        except (ChannelClosed, ChannelTimedOut) as error:
            mine.close()
            raise SandboxUnavailable("a child ended before its request") from error
        return mine

    def _end_fork(self) -> None:
        """Ends the fork. If that does not succeed, the child is not ready and must be killed."""
        deadline = time.monotonic() + _GRACE_S
        with suppress(ChannelClosed, ChannelTimedOut, ChildTimedOut, SandboxUnavailable):
            send(self._control, END, (), deadline)
            self._await_end(deadline)
            self._is_free = True

    def _await_end(self, deadline: float) -> _End:
        try:
            end = receive(self._control, _MAX_END_BYTES, deadline)
        except ChannelTimedOut as error:
            raise ChildTimedOut("the request could not be ended in time") from error
        except ChannelClosed as error:
            # The template never sees the request, so the request did not cause this.
            raise SandboxUnavailable("a child was ended in the middle of a request") from error
        return _End(end["exit_status"], end["timed_out"])


@contextmanager
def _hung_up_on_cancel(channel: socket.socket, call: Call) -> Iterator[None]:
    def hang_up() -> None:
        # The answer may have arrived and the socket may be closed at this very moment.
        with suppress(OSError):
            channel.shutdown(socket.SHUT_RDWR)

    withdraw = call.on_cancel(hang_up)
    try:
        yield
    finally:
        withdraw()


def _exchange(
    channel: socket.socket, request: Json, files: Sequence[int], max_bytes: int, deadline: float
) -> dict[str, Json] | InvalidMessage | None:
    """Sends the request and returns the answer, or None if there was none: the fork's end shows the reason."""
    try:
        send(channel, request, files, deadline)
        reply = receive(channel, max_bytes, deadline)
    except (ChannelClosed, ChannelTimedOut):
        return None
    except InvalidMessage as error:
        return error
    return reply if isinstance(reply, dict) else InvalidMessage("the answer is not an object")


def _value_of(reply: dict[str, Json]) -> Json:
    if "value" in reply:
        return reply["value"]
    kind, message = str(reply.get("error")), str(reply.get("message"))
    if kind == "MemoryError":
        raise ChildOutOfMemory(message)
    raise ChildFailed(f"{kind}: {message}")
