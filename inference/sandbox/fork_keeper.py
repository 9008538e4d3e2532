"""The parent's handle on a template whose forks live until the parent ends them."""

import socket
import struct
import threading
import time
from collections.abc import Sequence, Set
from contextlib import suppress
from pathlib import Path

from .errors import SandboxUnavailable
from .inside.channel import ChannelClosed, ChannelTimedOut, InvalidMessage, Json, receive, send
from .inside.packets import Packets
from .program import ChildLimits, Program
from .template_process import TemplateProcess

_ORDER_S = 10.0
"""The seconds within which a template obeys. A fork that ends first gives back all its memory."""
_MAX_REPLY_BYTES = 4096
_CREDENTIALS = struct.Struct("3i")
_TIME = struct.Struct("@ll")


class ForkKeeper(TemplateProcess):
    """A template with any number of forks. Any thread may use it."""

    def __init__(
        self,
        program: Program,
        limits: ChildLimits,
        bubblewrap: Path | None,
        cwd: Path,
        needs: Set[str] = frozenset(),
        *,
        nice: int = 0,
    ) -> None:
        """Start the template as `TemplateProcess` does, with a priority that its forks inherit."""
        super().__init__(program, limits, bubblewrap, cwd, needs, keeps_forks=True, nice=nice)
        self._lock = threading.Lock()
        self._forks = 0
        self._is_retired = False

    @property
    def can_fork(self) -> bool:
        return not self._is_retired and self.is_running

    def fork(self, memory_bytes: int) -> "KeptFork":
        """Return a new fork with a limit of its address space. SandboxUnavailable is raised if the template ended."""
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with self._lock:
            try:
                with theirs:
                    reply = self._order({"fork": {"memory_bytes": memory_bytes}}, [theirs.fileno()])
            except BaseException:
                mine.close()
                raise
            self._forks += 1
        return KeptFork(self, reply["pid"], mine)

    def lower(self, pid: int, nice: int) -> None:
        """Give the fork less processor time. An ended template has no forks."""
        with self._lock, suppress(SandboxUnavailable):
            self._order({"lower": pid, "nice": nice})

    def end(self, pid: int) -> int | None:
        """End the fork if it still runs. Return its exit status, or None if the template has ended, and all its forks
        with it.
        """
        with self._lock:
            self._forks -= 1
            try:
                status: int | None = self._order({"end": pid})["exit_status"]
            except SandboxUnavailable:
                status = None
            if self._is_retired and not self._forks:
                self.kill()
        return status

    def retire(self) -> None:
        """Make no more forks, and end the template when its last fork has ended."""
        with self._lock:
            if not self._is_retired:
                self._is_retired = True
                if not self._forks:
                    self.kill()

    def _order(self, order: Json, files: Sequence[int] = ()) -> Json:
        deadline = time.monotonic() + _ORDER_S
        try:
            send(self._control, order, files, deadline)
            return receive(self._control, _MAX_REPLY_BYTES, deadline)
        except (ChannelClosed, ChannelTimedOut, InvalidMessage) as error:
            # An order without its reply would shift all later replies.
            self._is_retired = True
            self.kill()
            raise SandboxUnavailable("the template of the model hosts has ended") from error


class KeptFork:
    """A fork with its connection. Only one thread may use it at a time."""

    def __init__(self, keeper: ForkKeeper, pid: int, channel: socket.socket) -> None:
        self._keeper = keeper
        self._pid = pid
        """The process id as its template sees it."""
        self.packets = Packets(channel)

    def receive_pid(self) -> int:
        """Return the process id as this process sees it. It comes from the kernel with the next byte of the fork, which
        must be one that says nothing.
        """
        channel = self.packets.socket
        self.limit_waits(_ORDER_S)
        try:
            _byte, ancillary, _flags, _address = channel.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
        except OSError as error:
            raise SandboxUnavailable("a fork did not start") from error
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                pid: int = _CREDENTIALS.unpack(data)[0]
                return pid
        raise SandboxUnavailable("a fork did not start")

    def limit_waits(self, seconds: float) -> None:
        """Set the longest time of each wait for the fork. The kernel counts it, at no cost for each message."""
        limit = _TIME.pack(int(seconds), int(seconds % 1 * 1e6))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self.packets.socket.setsockopt(socket.SOL_SOCKET, option, limit)

    def lower(self, nice: int) -> None:
        self._keeper.lower(self._pid, nice)

    def retire_template(self) -> None:
        """Make the template fork no more, because this fork may have shown the addresses that its siblings share."""
        self._keeper.retire()

    def end(self) -> int | None:
        """End the fork, as `ForkKeeper.end` does, and close its connection."""
        self.packets.socket.close()
        return self._keeper.end(self._pid)
