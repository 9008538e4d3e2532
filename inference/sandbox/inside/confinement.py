"""Permanently removes from the process everything that hostile bytes could use against the machine."""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from .kernel import die_with_parent, forbid_attaching, forbid_new_privileges, syscall
from .layers import LANDLOCK, LIMITS, NOBODY, SECCOMP, LayerUnavailable
from .seccomp import close_system_calls

_NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Confinement:
    layers: tuple[str, ...]
    """The names of the layers that are in force."""
    missing: Mapping[str, str]
    """The reason for each layer that is not in force."""
    may_open_files: bool
    """Set if another layer than the system call filter closes the file system."""


def limit_resources(memory_bytes: int, file_bytes: int, open_files: int) -> None:
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    _limit(resource.RLIMIT_NOFILE, open_files)
    _limit(resource.RLIMIT_CORE, 0)


def confine(readable: Sequence[str], *, in_bubblewrap: bool) -> Confinement:
    """Confines this process, after all imports: code below a closed home directory cannot be read any more."""
    attempt = _Attempt()
    with attempt.at(NOBODY):
        _drop_root()
    die_with_parent(signal.SIGKILL)
    forbid_new_privileges()
    forbid_attaching()
    with attempt.at(LANDLOCK):
        close_file_system(readable)
    may_open_files = in_bubblewrap or LANDLOCK in attempt.layers
    with attempt.at(SECCOMP):
        close_system_calls(may_open_files=may_open_files, may_fork=True)
    return Confinement(tuple(attempt.layers), attempt.missing, may_open_files)


class _Attempt:
    """The layers that came into force, and the reason for each of the others."""

    def __init__(self) -> None:
        self.layers = [LIMITS]
        self.missing: dict[str, str] = {}

    @contextmanager
    def at(self, layer: str) -> Iterator[None]:
        try:
            yield
            self.layers.append(layer)
        except LayerUnavailable as error:
            self.missing[layer] = str(error)


def confine_fork(template: Confinement, template_pid: int, cpu_s: int | None, memory_bytes: int | None) -> None:
    """Removes from a fork the right to make forks. It must be called before any hostile byte is read. A fork without
    `cpu_s` is ended by its parent, which knows how long each piece of its work takes.
    """
    die_with_parent(signal.SIGKILL)
    if os.getppid() != template_pid:
        raise ProcessLookupError("the template has ended")
    if cpu_s is not None:
        # The signal of the soft limit ends the process. The hard limit ends a process that ignores the signal.
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    if memory_bytes is not None:
        _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_NPROC, 0)
    if SECCOMP in template.layers:
        close_system_calls(may_open_files=template.may_open_files, may_fork=False)


def _drop_root() -> None:
    if os.getuid() != 0:
        raise LayerUnavailable("the product does not run as root, so that its children have its own user")
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except OSError as error:
        raise LayerUnavailable(f"root may not become another user here ({error.strerror})") from error


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, allowed))


_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_RIGHTS_BY_VERSION = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}
"""All rights that a kernel of this Landlock version can withhold. Later versions have one more right."""
_RIGHTS_LATEST = 0xFFFF


def close_file_system(readable: Sequence[str]) -> None:
    """Close the file system after no-new-privileges was set. It raises LayerUnavailable without Landlock."""
    try:
        version = syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
        ruleset = _create_ruleset(_RIGHTS_BY_VERSION.get(version, _RIGHTS_LATEST))
    except OSError as error:
        raise LayerUnavailable(why_refused(error, platform.release())) from error
    for folder in readable:
        _leave_readable(ruleset, folder)
    syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)


def why_refused(error: OSError, kernel: str) -> str:
    """Return a readable reason for the error of the kernel with the release `kernel`."""
    match error.errno:
        case errno.ENOSYS:
            return f"the kernel ({kernel}) has no Landlock: it needs 5.13 or later, built with CONFIG_SECURITY_LANDLOCK"
        case errno.EOPNOTSUPP:
            return f"Landlock is off in the kernel ({kernel}): add landlock to its boot parameter lsm="
    return (
        f"the kernel ({kernel}) does not let this process use Landlock ({error.strerror}): "
        "the container's seccomp profile may forbid it"
    )


def _create_ruleset(rights: int) -> int:
    attributes = ctypes.c_uint64(rights)
    return syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(8), ctypes.c_uint(0))


def _leave_readable(ruleset: int, folder: str) -> None:
    try:
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY)
    except OSError:
        return
    rule = struct.pack("=Qi", _READ_FILE | _READ_DIR, opened)
    syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH_BENEATH), rule, ctypes.c_uint(0))
    os.close(opened)
