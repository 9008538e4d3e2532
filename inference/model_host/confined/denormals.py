"""Rounding of denormal numbers, which are too small for a normal float, to zero."""

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
    """Round denormal numbers to zero in this thread, on machines where this is known to work.

    Calculations with denormals take a hundred times as long, and activations such as GELU produce many of them. ONNX
    Runtime does this only in the threads of its own pool.
    """
    mathematics = library()
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
def library() -> Any:
    """Return the C library of mathematics, which has to be opened before the file system is closed."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        return None
    return ctypes.CDLL("libm.so.6")
