"""Runs a command that can write below the given folders only, as in a container with a read-only root file system:
`python confined.py FOLDER … -- COMMAND …`. No program that it starts gets more rights than it has.
"""

import ctypes
import os
import struct
import sys
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_WRITES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))
"""Landlock's rights to write a file, and to remove or make files, folders, devices, sockets and links."""
_ALWAYS = ("/dev", "/proc")
"""The folders that every container has for itself."""


def confine(folders: list[str]) -> None:
    """Raises OSError where the kernel has no Landlock."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long

    def call(number: int, *arguments: object) -> int:
        result = int(libc.syscall(ctypes.c_long(number), *arguments))
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    handled = ctypes.c_uint64(_WRITES)
    ruleset = call(_CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(8), ctypes.c_uint(0))
    for folder in (*_ALWAYS, *folders):
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), struct.pack("=Qi", _WRITES, opened), ctypes.c_uint(0))
        os.close(opened)
    zero = ctypes.c_ulong(0)
    libc.prctl(ctypes.c_int(_NO_NEW_PRIVILEGES), ctypes.c_ulong(1), zero, zero, zero)
    call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)


def confined(folders: list[Path], argv: list[str]) -> list[str]:
    """Return the command that runs `argv` confined to writing below the folders."""
    return [sys.executable, "-S", __file__, *map(str, folders), "--", *argv]


if __name__ == "__main__":
    middle = sys.argv.index("--")
    confine(sys.argv[1:middle])
    os.execvp(sys.argv[middle + 1], sys.argv[middle + 1 :])
