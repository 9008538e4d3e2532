"""Treats numbers too small for a normal float as zero in this thread, because a processor takes a hundred times as long
for them.

The image of a page leaves many such numbers after an activation such as GELU, which made text detection three times as
slow. ONNX Runtime sets this only for the threads of its own pool, never for the thread that calls it and does half of
the work.
"""

import ctypes
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_FLUSH_TO_ZERO = 0x8000
_DENORMALS_ARE_ZERO = 0x0040
_CONTROL_WORD = 7
"""The index of the control word among the eight 32-bit words of a thread's floating-point state on x86-64."""

_State = ctypes.c_uint32 * 8


@contextmanager
def denormals_flushed() -> Iterator[None]:
    """Flush denormals in this thread while the block lasts, on platforms where this is known to work."""
    mathematics = _library()
    before = _State()
    if mathematics is None or mathematics.fegetenv(before) != 0:
        yield
        return
    flushing = _State(*before)
    flushing[_CONTROL_WORD] |= _FLUSH_TO_ZERO | _DENORMALS_ARE_ZERO
    mathematics.fesetenv(flushing)
    try:
        yield
    finally:
        mathematics.fesetenv(before)


@cache
def _library() -> Any:
    if sys.platform != "linux" or platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        return None
    return ctypes.CDLL("libm.so.6")
