"""The parent's handle on one sandboxed child process."""

import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from .errors import (
    ChildDied,
    ChildFailed,
    ChildMisbehaved,
    ChildOutOfMemory,
    ChildTimedOut,
    SandboxUnavailable,
)
from .inside.channel import ChannelClosed, ChannelTimedOut, InvalidMessage, Json, receive, send
from .isolation import Isolation, child_command
from .limits import ChildLimits
from .program import Program


class Child:
    """Answers one request at a time; after any error of `ask` it is of no more use than to be killed."""

    def __init__(self, program: Program, limits: ChildLimits, bubblewrap: Path | None, cwd: Path) -> None:
        """Blocks until the child is ready. The child dies with the *thread* that calls this."""
        self._limits = limits
        self.served = 0
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                child_command(program, bubblewrap, theirs.fileno()),
                env={},
                cwd=cwd,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            layers = self._boot(program, bubblewrap)
        except BaseException:
            self.kill()
            raise
        self.isolation = Isolation(bubblewrap=bubblewrap is not None, layers=layers)

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Json, files: Sequence[int], wall_s: float) -> Json:
        """Sends a request with open files and returns the program's value, which is not to be trusted."""
        deadline = time.monotonic() + wall_s
        self.served += 1
        try:
            send(self._socket, request, files, deadline)
            reply = receive(self._socket, self._limits.reply_bytes, deadline)
        except ChannelTimedOut as error:
            raise ChildTimedOut(f"no answer within {wall_s} s") from error
        except ChannelClosed as error:
            raise self._death() from error
        except InvalidMessage as error:
            raise ChildMisbehaved(str(error)) from error
        return _value_of(reply)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._socket.close()

    def _boot(self, program: Program, bubblewrap: Path | None) -> tuple[str, ...]:
        deadline = time.monotonic() + self._limits.start_s
        try:
            send(self._socket, self._boot_message(program, bubblewrap), (), deadline)
            reply = receive(self._socket, self._limits.reply_bytes, deadline)
        except (ChannelClosed, ChannelTimedOut, InvalidMessage) as error:
            raise SandboxUnavailable(f"a child did not start: {type(error).__name__}") from error
        if "layers" not in reply:
            raise SandboxUnavailable(f"a child did not start: {reply}")
        return tuple(reply["layers"])

    def _boot_message(self, program: Program, bubblewrap: Path | None) -> Json:
        return {
            "module": program.module,
            "paths": [str(program.folder), *map(str, program.libraries)],
            "readable": [str(path) for path in program.readable],
            "in_bubblewrap": bubblewrap is not None,
            "memory_bytes": self._limits.memory_bytes,
            "cpu_s": self._limits.cpu_s,
            "file_bytes": self._limits.file_bytes,
            "open_files": self._limits.open_files,
        }

    def _death(self) -> ChildDied:
        """A child that closed its socket without ending is ended here."""
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        # bubblewrap passes on a signal's death the way a shell does.
        return ChildDied(128 - status if status > 128 else status)


def _value_of(reply: Json) -> Json:
    if not isinstance(reply, dict):
        raise ChildMisbehaved("the answer is not an object")
    if "value" in reply:
        return reply["value"]
    kind, message = str(reply.get("error")), str(reply.get("message"))
    if kind == "MemoryError":
        raise ChildOutOfMemory(message)
    raise ChildFailed(f"{kind}: {message}")
