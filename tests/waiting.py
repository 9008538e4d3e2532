"""Waits for what a test is about, and says what it was when it does not come."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
_LOOK_EVERY_S = 0.05


def eventually(look: Callable[[], Found | None], what: str, patience_s: float = 60.0) -> Found:
    """What `look` returns once that is neither False nor empty nor None."""
    deadline = time.monotonic() + patience_s
    while not (found := look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen within {patience_s:g} s")
        time.sleep(_LOOK_EVERY_S)
    return found
