"""Takes from the process, for good, whatever hostile bytes could use against the machine."""

import os
import resource
import signal
from collections.abc import Sequence

from .kernel import die_with_parent, forbid_new_privileges
from .landlock import close_file_system
from .seccomp import close_system_calls

_NOBODY = 65534


def limit_resources(memory_bytes: int, file_bytes: int, open_files: int) -> None:
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    _limit(resource.RLIMIT_NOFILE, open_files)
    _limit(resource.RLIMIT_CORE, 0)


def limit_cpu(seconds: int) -> None:
    """Allows `seconds` more of processor time: the limit counts from the start of the process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime) + seconds + 1, hard))


def confine(readable: Sequence[str], *, in_bubblewrap: bool) -> list[str]:
    """Call it when everything is imported: afterwards code below a closed home can no longer be read.

    Returns the names of what is in force.
    """
    layers = ["limits"]
    if _drop_root():
        layers.append("nobody")
    die_with_parent(signal.SIGKILL)
    forbid_new_privileges()
    if close_file_system(readable):
        layers.append("landlock")
    if close_system_calls(may_open_files=in_bubblewrap or "landlock" in layers):
        layers.append("seccomp")
    return layers


def _drop_root() -> bool:
    if os.getuid() != 0:
        return False
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except OSError:
        return False
    return True


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, allowed))
