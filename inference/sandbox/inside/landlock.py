"""Closes the file system for this process, except for a few folders that stay readable."""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Sequence

from .kernel import syscall
from .layers import LayerUnavailable

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
