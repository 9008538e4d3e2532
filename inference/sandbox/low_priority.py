"""Leaves the processor to others: a function for this process, and a program that starts a command in this way."""

import os
import sys
import time
from pathlib import Path

_TRIES = 20
_PAUSE_S = 0.1
"""Users other than root may change one share in a tenth of a second, all together."""


def at_low_priority(nice: int) -> list[str]:
    """Return the command that starts the command after it. It should be the first of a new session."""
    return [sys.executable, "-I", "-S", "-B", str(Path(__file__)), str(nice)]


def leave_processor_to_others(nice: int) -> None:
    """Give this process and all that it starts less processor time, and end it first if memory is short."""
    os.nice(nice)
    Path("/proc/self/oom_score_adj").write_text("1000")
    # Where the kernel gives each session its own share, a nice value counts only within the session. This is the share
    # of the session. A kernel without such shares has no such file.
    autogroup = Path("/proc/self/autogroup")
    for _ in range(_TRIES if autogroup.exists() else 0):
        try:
            autogroup.write_text(str(nice))
            return
        except OSError:
            time.sleep(_PAUSE_S)


if __name__ == "__main__":
    leave_processor_to_others(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606  # the command comes from the sandbox
