"""System calls that confinement needs and the standard library lacks."""

import ctypes
import errno
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_THREAD = 0x00010000


def syscall(number: int, *arguments: object) -> int:
    """Returns the call's result. Raises OSError if the call fails."""
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def prctl(option: int, argument: object, more: object = 0) -> None:
    zero = ctypes.c_ulong(0)
    if _libc.prctl(ctypes.c_int(option), argument, more, zero, zero) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def die_with_parent(signal_number: int) -> None:
    """Requests a signal for the end of the thread that started this process. A change of user clears this."""
    prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal_number))


def forbid_new_privileges() -> None:
    prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), ctypes.c_ulong(0))


def forbid_attaching() -> None:
    """Prevents other processes of the same user from reading this process's memory as a debugger does."""
    prctl(_PR_SET_DUMPABLE, ctypes.c_ulong(0))


def refuse_threads() -> None:
    """Raises if other threads run. A lock that one of them holds would stay closed in a fork."""
    # Leaving a thread group of a single thread does nothing. With more threads, it fails as an invalid argument.
    if _libc.unshare(ctypes.c_int(_CLONE_THREAD)) != 0 and ctypes.get_errno() == errno.EINVAL:
        raise RuntimeError("the program has started threads when it was imported")
