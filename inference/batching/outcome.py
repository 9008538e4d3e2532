"""Delivery of the answers of a call's pieces to the calling thread, which waits for all of them."""

import threading
from collections.abc import Callable
from typing import Any


class Outcome:
    """The answers of a call. It is lighter than futures: the calling thread sleeps on a single lock until all answers
    are there or something failed.

    Only the batcher's thread gives answers, once for each piece. Any thread may fail a call that has not been answered
    yet.
    """

    def __init__(self, count: int, ended: Callable[[], None] | None = None) -> None:
        """Create the outcome. The thread that ends it calls `ended` once instead of waking one. It must not wait."""
        self.answers: list[Any] = [None] * count
        self.error: BaseException | None = None
        self.ran_s = 0.0
        """The time in seconds of the runs that contributed to it."""
        self.device_us = 0
        """The sum of its pieces' shares of the device time of these runs."""
        self._ended = ended
        self._left = count
        self._asleep = threading.Lock()
        self._asleep.acquire()

    def wait(self, timeout_s: float | None) -> bool:
        """Wait for the end. Return False if it takes longer than `timeout_s`."""
        if timeout_s is None:
            return self._asleep.acquire()
        return self._asleep.acquire(timeout=min(max(timeout_s, 0.0), threading.TIMEOUT_MAX))

    def wake(self) -> None:
        try:
            self._asleep.release()
        except RuntimeError:
            # The thread was woken before.
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
