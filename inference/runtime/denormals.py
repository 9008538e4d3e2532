"""Numbers too small for a normal float count as zero in this thread: a processor takes a hundred times as long.

A page's picture leaves many of them behind an activation such as GELU: text detection ran three times as long. ONNX
Runtime sets this for the threads of its own pool alone, never for the thread that calls it and does half of the work.
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
"""Of the eight 32-bit words that the C library keeps a thread's floating-point state in, on x86-64."""

_State = ctypes.c_uint32 * 8


@contextmanager
def denormals_flushed() -> Iterator[None]:
    """In this thread, while the block lasts; where this is not known to work, all stays as it is."""
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
