"""Limits this process to the few system calls that reading bytes and computing need."""

import ctypes
import errno
import functools
import platform
import struct
from collections.abc import Set
from typing import ClassVar

from .kernel import prctl
from .layers import LayerUnavailable
from .system_calls import LIMIT, MACHINES, Machine

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_FIRST_ARGUMENT = 0, 4, 16
_X32_CALLS = 0x40000000
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_DENY = 0x00050000 | errno.EPERM


class _Program(ctypes.Structure):
    _fields_: ClassVar = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def close_system_calls(*, may_open_files: bool, may_fork: bool) -> None:
    """Set the filter. Another call restricts the process further, because the kernel obeys all filters, and a fork
    begins with those of its template.

    Raises LayerUnavailable if the product has no table of system calls for this machine or the kernel accepts no
    filter.
    """
    machine = MACHINES.get(platform.machine())
    if machine is None:
        raise LayerUnavailable(
            f"the product has no table of system calls for {platform.machine()}, only for {' and '.join(MACHINES)}"
        )
    code = _code(machine, may_open_files, may_fork)
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
def _code(machine: Machine, may_open_files: bool, may_fork: bool) -> bytes:
    return compile_filter(machine, machine.numbers_of(may_open_files=may_open_files, may_fork=may_fork))


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
