"""Waits for a condition of a test, and names it if it does not occur."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
_LOOK_EVERY_S = 0.05


def eventually(look: Callable[[], Found | None], what: str, timeout_s: float = 60.0) -> Found:
    """Wait until `look` returns a true value, and return it."""
    deadline = time.monotonic() + timeout_s
    while not (found := look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen within {timeout_s:g} s")
        time.sleep(_LOOK_EVERY_S)
    return found
