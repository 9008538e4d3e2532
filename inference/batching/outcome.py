"""How the pieces of one call reach the thread that asked, which waits for all of them."""

import threading
from collections.abc import Callable
from typing import Any


class Outcome:
    """Lighter than futures: one lock, on which that thread sleeps until all is there or something failed.

    Only the batcher's thread gives, once for each piece; anyone may fail what has no answer yet.
    """

    def __init__(self, count: int, ended: Callable[[], None] | None = None) -> None:
        """`ended` is called in place of waking a thread: once, by whoever ends it, and must not wait."""
        self.answers: list[Any] = [None] * count
        self.error: BaseException | None = None
        self.ran_s = 0.0
        """The runs that had a part in it."""
        self.device_us = 0
        """Its pieces' shares of what those computed."""
        self._ended = ended
        self._left = count
        self._asleep = threading.Lock()
        self._asleep.acquire()

    def wait(self, patience_s: float | None) -> bool:
        """False when that took longer."""
        if patience_s is None:
            return self._asleep.acquire()
        return self._asleep.acquire(timeout=min(max(patience_s, 0.0), threading.TIMEOUT_MAX))

    def wake(self) -> None:
        try:
            self._asleep.release()
        except RuntimeError:
            # Woken before.
            return
        if self._ended is not None:
            self._ended()

    def give(self, index: int, answer: Any) -> None:
        self.answers[index] = answer
        self._left -= 1
        if not self._left:
            self.wake()

    def fail(self, error: BaseException) -> None:
        if self.error is None and not self.complete:
            self.error = error
        self.wake()

    @property
    def complete(self) -> bool:
        return self._left == 0
