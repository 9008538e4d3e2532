"""Describes a child process, and starts it so that it can never outlive the supervisor."""

import enum
import os
import re
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from maas.local.supervisor import processes


class StopPhase(enum.Enum):
    """The phases of an orderly stop in order, each with its grace period in seconds, together less than ten."""

    SERVING = 5.5
    QUEUE = 1.0
    DATABASE = 2.0


@dataclass(frozen=True, slots=True)
class ChildSpec:
    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str = "/"
    stop_signal: signal.Signals = signal.SIGTERM
    stop_phase: StopPhase = StopPhase.SERVING
    uid: int | None = None
    """The user and group to become, or None to keep the current ones."""
    keep_fds: tuple[int, ...] = ()
    chatter: re.Pattern[str] | None = None
    """A pattern for text lines of the output that are of no use to a person and are not shown."""


def spawn(spec: ChildSpec, output: int) -> subprocess.Popen[bytes]:
    """Start the child in its own session, writing to the file descriptor `output`.

    Call it from the main thread: the kernel ties a child's death signal to the thread that forked it.
    """
    parent = os.getpid()

    def before_exec() -> None:
        if spec.uid is not None:
            processes.give_up_new_privileges()
        processes.die_with_parent(parent, spec.stop_signal)

    return subprocess.Popen(
        spec.argv,
        env=dict(spec.env),
        cwd=spec.cwd,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        umask=0o077,
        user=spec.uid,
        group=spec.uid,
        extra_groups=None if spec.uid is None else [],
        pass_fds=spec.keep_fds,
        preexec_fn=before_exec,  # noqa: PLW1509 - forked from a process that has one thread
    )
