"""Leaves this process the few system calls that reading bytes and computing need."""

import ctypes
import errno
import functools
import platform
import struct
from typing import ClassVar

from .kernel import prctl

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_ARCH_X86_64 = 0xC000003E

# Numbers of the x86-64 table; on other machines the filter is left out, and said to be.
_COMPUTE = {
    "read": 0, "write": 1, "close": 3, "fstat": 5, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
    "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "pwrite64": 18,
    "readv": 19, "writev": 20, "sched_yield": 24, "mremap": 25, "madvise": 28, "dup": 32, "nanosleep": 35,
    "getpid": 39, "sendto": 44, "recvfrom": 45, "sendmsg": 46, "recvmsg": 47, "exit": 60, "fcntl": 72,
    "getrusage": 98, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "sigaltstack": 131,
    "gettid": 186, "futex": 202, "clock_gettime": 228, "clock_nanosleep": 230, "exit_group": 231,
    "newfstatat": 262, "preadv": 295, "pwritev": 296, "getrandom": 318,
}  # fmt: skip
_READ_FILES = {"open": 2, "access": 21, "getdents64": 217, "openat": 257, "readlink": 89, "readlinkat": 267}
_FORK = {
    "fork": 57, "clone": 56, "wait4": 61, "kill": 62, "getppid": 110, "rt_sigtimedwait": 128, "prctl": 157,
    "set_robust_list": 273,
}  # fmt: skip
"""`prctl` for the fork's own filter, which allows none of these."""
_PRLIMIT64 = 302

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_FIRST_ARGUMENT = 0, 4, 16
_X32_CALLS = 0x40000000
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_DENY = 0x00050000 | errno.EPERM


class _Program(ctypes.Structure):
    _fields_: ClassVar = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def close_system_calls(*, may_open_files: bool, may_fork: bool) -> bool:
    """False where this machine's table of calls is not known or the kernel has no filters.

    Called again it closes more: the kernel obeys all filters, and a fork begins with its template's.
    """
    if platform.machine() != "x86_64":
        return False
    code = _code(may_open_files, may_fork)
    program = _Program(len(code) // 8, code)
    try:
        prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), ctypes.byref(program))
    except OSError:
        return False
    return True


@functools.cache
def _code(may_open_files: bool, may_fork: bool) -> bytes:
    calls = {**_COMPUTE, **(_READ_FILES if may_open_files else {}), **(_FORK if may_fork else {})}
    return compile_filter(set(calls.values()))


def compile_filter(calls: set[int]) -> bytes:
    """A filter that allows `calls`, and limits on the process itself, and answers EPERM to all else."""
    code = [
        _instruction(_LOAD, _OFFSET_ARCH),
        _instruction(_JUMP_EQUAL, _ARCH_X86_64, on_true=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _OFFSET_NUMBER),
        _instruction(_JUMP_AT_LEAST, _X32_CALLS, on_true=len(calls) + 3),
    ]
    for left, number in zip(range(len(calls), 0, -1), sorted(calls), strict=True):
        code.append(_instruction(_JUMP_EQUAL, number, on_true=left + 3))
    # prlimit64 with a process id would reach other processes of the same user.
    code += [
        _instruction(_JUMP_EQUAL, _PRLIMIT64, on_false=2),
        _instruction(_LOAD, _OFFSET_FIRST_ARGUMENT),
        _instruction(_JUMP_EQUAL, 0, on_true=1),
        _instruction(_RETURN, _DENY),
        _instruction(_RETURN, _ALLOW),
    ]
    return b"".join(code)


def _instruction(operation: int, value: int, on_true: int = 0, on_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, on_true, on_false, value)
