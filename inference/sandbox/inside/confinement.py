"""Takes from the process, for good, whatever hostile bytes could use against the machine."""

import os
import resource
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from .kernel import die_with_parent, forbid_attaching, forbid_new_privileges
from .landlock import close_file_system
from .seccomp import close_system_calls

_NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Confinement:
    layers: tuple[str, ...]
    """Names of what is in force."""
    may_open_files: bool
    """True where something else than the system calls' filter closes the file system."""


def limit_resources(memory_bytes: int, file_bytes: int, open_files: int) -> None:
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    _limit(resource.RLIMIT_NOFILE, open_files)
    _limit(resource.RLIMIT_CORE, 0)


def confine(readable: Sequence[str], *, in_bubblewrap: bool) -> Confinement:
    """Call it when everything is imported: afterwards code below a closed home can no longer be read."""
    layers = ["limits"]
    if _drop_root():
        layers.append("nobody")
    die_with_parent(signal.SIGKILL)
    forbid_new_privileges()
    forbid_attaching()
    if close_file_system(readable):
        layers.append("landlock")
    may_open_files = in_bubblewrap or "landlock" in layers
    if close_system_calls(may_open_files=may_open_files, may_fork=True):
        layers.append("seccomp")
    return Confinement(tuple(layers), may_open_files)


def confine_fork(template: Confinement, template_pid: int, cpu_s: int, memory_bytes: int | None) -> None:
    """Takes from a fork what its template needs to make forks; call it before any hostile byte is read."""
    die_with_parent(signal.SIGKILL)
    if os.getppid() != template_pid:
        raise ProcessLookupError("the template has ended")
    # The signal ends the process; the harder limit, one that has learned to ignore it.
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    if memory_bytes is not None:
        _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_NPROC, 0)
    closed = close_system_calls(may_open_files=template.may_open_files, may_fork=False)
    if "seccomp" in template.layers and not closed:
        raise OSError("the fork could not be confined")


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
