"""Limits this process to the few system calls that reading bytes and computing need."""

import ctypes
import errno
import functools
import platform
import struct
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import ClassVar

from .kernel import prctl
from .layers import LayerUnavailable

COMPUTE = frozenset({
    "brk", "clock_gettime", "clock_nanosleep", "close", "dup", "exit", "exit_group", "fcntl", "fstat", "futex",
    "getegid", "geteuid", "getgid", "getpid", "getrandom", "getrusage", "gettid", "getuid", "lseek", "madvise",
    "mmap", "mprotect", "mremap", "munmap", "nanosleep", "newfstatat", "pread64", "preadv", "preadv2", "pwrite64",
    "pwritev", "read", "readv", "recvfrom", "recvmsg", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_yield",
    "sendmsg", "sendto", "sigaltstack", "write", "writev",
})  # fmt: skip
"""The calls that a program needs to compute on open files and to use an open socket."""
READ_FILES = frozenset({"access", "faccessat", "getdents64", "open", "openat", "readlink", "readlinkat"})
WRITE_FILES = frozenset({
    "ftruncate", "getcwd", "lstat", "mkdir", "mkdirat", "openat2", "rename", "renameat", "renameat2", "rmdir", "stat",
    "unlink", "unlinkat",
})  # fmt: skip
"""The calls that creating and deleting files needs besides those that read them. Another layer says where."""
FORK = frozenset({
    "clone", "fork", "getppid", "kill", "prctl", "rt_sigtimedwait", "set_robust_list", "setpriority", "wait4",
})  # fmt: skip
"""The calls that a template needs to make forks. `prctl` is for the fork's own filter, which allows none of these."""
LIMIT = "prlimit64"


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    audit_arch: int
    """The value by which the kernel tells a filter the table that a call's number belongs to."""
    numbers: Mapping[str, int]

    def numbers_of(self, *, may_open_files: bool, may_fork: bool, may_write: bool = False) -> frozenset[int]:
        """Return the numbers of the allowed calls. A call that this machine does not have is left out."""
        wanted = {READ_FILES: may_open_files, WRITE_FILES: may_write, FORK: may_fork}
        names = COMPUTE.union(*(calls for calls, allowed in wanted.items() if allowed))
        return frozenset(number for name, number in self.numbers.items() if name in names)


X86_64 = Machine(0xC000003E, {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "lseek": 8, "mmap": 9,
    "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
    "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "sched_yield": 24, "mremap": 25,
    "madvise": 28, "dup": 32, "nanosleep": 35, "getpid": 39, "sendto": 44, "recvfrom": 45, "sendmsg": 46, "recvmsg": 47,
    "clone": 56, "fork": 57, "exit": 60, "wait4": 61, "kill": 62, "fcntl": 72, "ftruncate": 77, "getcwd": 79,
    "rename": 82, "mkdir": 83, "rmdir": 84, "unlink": 87, "readlink": 89, "getrusage": 98, "getuid": 102,
    "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110, "rt_sigtimedwait": 128, "sigaltstack": 131,
    "setpriority": 141, "prctl": 157, "gettid": 186, "futex": 202, "getdents64": 217, "clock_gettime": 228,
    "clock_nanosleep": 230, "exit_group": 231, "openat": 257, "mkdirat": 258, "newfstatat": 262, "unlinkat": 263,
    "renameat": 264, "readlinkat": 267, "set_robust_list": 273, "preadv": 295, "pwritev": 296, "prlimit64": 302,
    "renameat2": 316, "getrandom": 318, "preadv2": 327, "openat2": 437,
})  # fmt: skip

# Linux supported this machine late, so its table lacks calls that newer calls replace, such as open, access and fork.
AARCH64 = Machine(0xC00000B7, {
    "getcwd": 17, "dup": 23, "fcntl": 25, "mkdirat": 34, "unlinkat": 35, "renameat": 38, "ftruncate": 46,
    "faccessat": 48, "openat": 56, "close": 57, "getdents64": 61, "lseek": 62, "read": 63,
    "write": 64, "readv": 65, "writev": 66, "pread64": 67, "pwrite64": 68, "preadv": 69, "pwritev": 70,
    "readlinkat": 78, "newfstatat": 79, "fstat": 80, "exit": 93, "exit_group": 94, "futex": 98,
    "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113, "clock_nanosleep": 115, "sched_yield": 124,
    "kill": 129, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigtimedwait": 137,
    "rt_sigreturn": 139, "setpriority": 140, "getrusage": 165, "prctl": 167, "getpid": 172, "getppid": 173,
    "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177, "gettid": 178, "sendto": 206,
    "recvfrom": 207, "sendmsg": 211, "recvmsg": 212, "brk": 214, "munmap": 215, "mremap": 216,
    "clone": 220, "mmap": 222, "mprotect": 226, "madvise": 233, "wait4": 260, "prlimit64": 261, "renameat2": 276,
    "getrandom": 278, "preadv2": 286, "openat2": 437,
})  # fmt: skip

MACHINES = {"x86_64": X86_64, "aarch64": AARCH64}
"""The machines by the value of `platform.machine()`."""


_PR_SET_SECCOMP = 22
_MODE_FILTER = 2

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_FIRST_ARGUMENT = 0, 4, 16
_X32_CALLS = 0x40000000
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_DENY = 0x00050000 | errno.EPERM


class _Program(ctypes.Structure):
    _fields_: ClassVar = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def close_system_calls(*, may_open_files: bool, may_fork: bool, may_write: bool = False) -> None:
    """Set the filter, in addition to earlier ones and those of a template, because the kernel obeys all filters.

    LayerUnavailable is raised if there is no table for this machine or the kernel accepts no filter.
    """
    machine = MACHINES.get(platform.machine())
    if machine is None:
        raise LayerUnavailable(
            f"the product has no table of system calls for {platform.machine()}, only for {' and '.join(MACHINES)}"
        )
    code = _code(machine, may_open_files, may_fork, may_write)
    program = _Program(len(code) // 8, code)
    try:
        prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), ctypes.byref(program))
    except OSError as error:
        raise LayerUnavailable(_why_refused(error)) from error


def _why_refused(error: OSError) -> str:
    if error.errno == errno.EINVAL:
        return "the kernel was built without seccomp filters (CONFIG_SECCOMP_FILTER)"
    return f"the kernel takes no filter ({error.strerror}): the container's own seccomp profile may forbid it"


@functools.cache
def _code(machine: Machine, may_open_files: bool, may_fork: bool, may_write: bool) -> bytes:
    numbers = machine.numbers_of(may_open_files=may_open_files, may_fork=may_fork, may_write=may_write)
    return compile_filter(machine, numbers)


def compile_filter(machine: Machine, calls: Set[int]) -> bytes:
    """Return a filter that allows `calls` and limits on the process itself. It answers EPERM to every other call."""
    code = [
        _instruction(_LOAD, _OFFSET_ARCH),
        _instruction(_JUMP_EQUAL, machine.audit_arch, on_true=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _OFFSET_NUMBER),
        _instruction(_JUMP_AT_LEAST, _X32_CALLS, on_true=len(calls) + 3),
    ]
    for left, number in zip(range(len(calls), 0, -1), sorted(calls), strict=True):
        code.append(_instruction(_JUMP_EQUAL, number, on_true=left + 3))
    # A limit call with a process id could affect other processes of the same user.
    code += [
        _instruction(_JUMP_EQUAL, machine.numbers[LIMIT], on_false=2),
        _instruction(_LOAD, _OFFSET_FIRST_ARGUMENT),
        _instruction(_JUMP_EQUAL, 0, on_true=1),
        _instruction(_RETURN, _DENY),
        _instruction(_RETURN, _ALLOW),
    ]
    return b"".join(code)


def _instruction(operation: int, value: int, on_true: int = 0, on_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, on_true, on_false, value)
