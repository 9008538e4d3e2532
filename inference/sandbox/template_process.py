"""The start, the report and the end of a template process, which forks itself for the work that it is given."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Set
from pathlib import Path

from .errors import LayersMissing, SandboxUnavailable
from .inside.channel import ChannelClosed, ChannelTimedOut, InvalidMessage, Json, receive, send
from .inside.confinement import NOBODY_ID
from .inside.layers import BUBBLEWRAP
from .isolation import CHILD_ENVIRONMENT, Isolation, child_command, probe_bubblewrap
from .low_priority import at_low_priority
from .program import ChildLimits, Program


class TemplateProcess:
    """A running template. It never reads hostile bytes; its forks do."""

    def __init__(
        self,
        program: Program,
        limits: ChildLimits,
        bubblewrap: Path | None,
        cwd: Path,
        needs: Set[str] = frozenset(),
        *,
        keeps_forks: bool = False,
        may_write: bool = False,
        nice: int = 0,
    ) -> None:
        """Block until the template is ready. It dies with the *thread* that calls this. LayersMissing is raised for a
        template without all layers of `needs`, which never sees any input. `keeps_forks` chooses between `Template` and
        `Keeper` inside. With `may_write`, all forks share `cwd` as a workspace: they may create, read and delete files
        there, but no links, and nowhere else. With `nice`, the template and its forks leave the processor to others.
        """
        self._limits = limits
        self._keeps_forks = keeps_forks
        self._workspace = _handed_over(cwd) if may_write else None
        self._control, theirs = socket.socketpair()
        launcher = at_low_priority(nice) if nice else []
        with theirs:
            self._process = subprocess.Popen(
                [*launcher, *child_command(program, bubblewrap, theirs.fileno(), self._workspace)],
                env=CHILD_ENVIRONMENT,
                cwd=cwd,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            self.isolation = self._boot(program, bubblewrap)
            if self.isolation.lacking(needs):
                raise LayersMissing(self.isolation, needs)
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End the template and also its forks if no process namespace does so."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._control.close()

    def _boot(self, program: Program, bubblewrap: Path | None) -> Isolation:
        deadline = time.monotonic() + self._limits.start_s
        try:
            send(self._control, self._boot_message(program, bubblewrap), (), deadline)
            reply = receive(self._control, self._limits.reply_bytes, deadline)
        except (ChannelClosed, ChannelTimedOut, InvalidMessage) as error:
            raise SandboxUnavailable(f"a child did not start: {type(error).__name__}") from error
        if "layers" not in reply:
            raise SandboxUnavailable(f"a child did not start: {reply}")
        if bubblewrap is None:
            without = {BUBBLEWRAP: probe_bubblewrap().why_not or "this child was to do without it"}
            return Isolation(tuple(reply["layers"]), {**reply["missing"], **without})
        return Isolation((BUBBLEWRAP, *reply["layers"]), reply["missing"])

    def _boot_message(self, program: Program, bubblewrap: Path | None) -> Json:
        return {
            "module": program.module,
            "paths": [str(program.folder), *map(str, program.libraries)],
            "readable": [str(path) for path in program.readable],
            "may_write": self._workspace is not None,
            "in_bubblewrap": bubblewrap is not None,
            "keeps_forks": self._keeps_forks,
            "memory_bytes": self._limits.memory_bytes,
            "file_bytes": self._limits.file_bytes,
            "open_files": self._limits.open_files,
        }


def _handed_over(workspace: Path) -> Path:
    """Return the resolved path of a folder that belongs to the user that the child becomes."""
    if os.getuid() == 0:
        os.chown(workspace, NOBODY_ID, NOBODY_ID)
    return workspace.resolve()
