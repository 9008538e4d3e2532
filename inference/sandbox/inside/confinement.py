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

NOBODY_ID = 65534
"""The user and the group without rights that a child of root becomes."""


@dataclass(frozen=True, slots=True)
class Confinement:
    layers: tuple[str, ...]
    """The names of the layers that are in force."""
    missing: Mapping[str, str]
    """The reason for each layer that is not in force."""
    may_open_files: bool
    """Set if another layer than the system call filter closes the file system."""
    may_write: bool = False
    """Set if the child may create files in its workspace."""


class WorkspaceUnavailable(Exception):
    """The error for a child that must write files where no layer keeps it from writing elsewhere."""


def limit_resources(memory_bytes: int, file_bytes: int, open_files: int) -> None:
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    _limit(resource.RLIMIT_NOFILE, open_files)
    _limit(resource.RLIMIT_CORE, 0)


def confine(readable: Sequence[str], *, in_bubblewrap: bool, may_write: bool = False) -> Confinement:
    """Confines this process, after all imports: code below a closed home directory cannot be read any more.

    With `may_write`, files can be created in the working folder only. Without a layer that ensures this,
    WorkspaceUnavailable is raised.
    """
    attempt = _Attempt()
    with attempt.at(NOBODY):
        _drop_root()
    die_with_parent(signal.SIGKILL)
    forbid_new_privileges()
    forbid_attaching()
    with attempt.at(LANDLOCK):
        close_file_system(readable, may_write=may_write)
    may_open_files = in_bubblewrap or LANDLOCK in attempt.layers
    if may_write and not may_open_files:
        raise WorkspaceUnavailable(
            f"files can be written only with Landlock or bubblewrap: {attempt.missing[LANDLOCK]}"
        )
    with attempt.at(SECCOMP):
        close_system_calls(may_open_files=may_open_files, may_fork=True, may_write=may_write)
    return Confinement(tuple(attempt.layers), attempt.missing, may_open_files, may_write)


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
        close_system_calls(may_open_files=template.may_open_files, may_fork=False, may_write=template.may_write)


def _drop_root() -> None:
    if os.getuid() != 0:
        raise LayerUnavailable("the product does not run as root, so that its children have its own user")
    try:
        os.setgroups([])
        os.setresgid(NOBODY_ID, NOBODY_ID, NOBODY_ID)
        os.setresuid(NOBODY_ID, NOBODY_ID, NOBODY_ID)
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
_WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_FILE, _TRUNCATE = (1 << bit for bit in (1, 4, 5, 7, 8, 14))
_READ = _READ_FILE | _READ_DIR
_READ_AND_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE | _TRUNCATE
"""The rights in a workspace. Links, sockets and devices cannot be made there."""
_RIGHTS_BY_VERSION = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}
"""All rights that a kernel of this Landlock version can withhold. Later versions have one more right."""
_RIGHTS_LATEST = 0xFFFF


def close_file_system(readable: Sequence[str], *, may_write: bool = False) -> None:
    """Close the file system after no-new-privileges was set. It raises LayerUnavailable without Landlock.

    With `may_write`, the working folder stays open.
    """
    try:
        version = syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
        handled = _RIGHTS_BY_VERSION.get(version, _RIGHTS_LATEST)
        ruleset = _create_ruleset(handled)
    except OSError as error:
        raise LayerUnavailable(why_refused(error, platform.release())) from error
    for folder in readable:
        _leave_open(ruleset, folder, _READ)
    if may_write:
        _leave_open(ruleset, os.curdir, _READ_AND_WRITE & handled)
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


def _leave_open(ruleset: int, folder: str, rights: int) -> None:
    try:
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY)
    except OSError:
        return
    rule = struct.pack("=Qi", rights, opened)
    syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH_BENEATH), rule, ctypes.c_uint(0))
    os.close(opened)
