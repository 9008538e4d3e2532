"""A server that many threads use. While it does not answer, one thread tries it at times, and none waits."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from inference.core.breaker import Breaker

LONGEST_PAUSE_S = 2.0
Answer = TypeVar("Answer")


class LeftAlone(Exception):
    """The error for a server that did not answer a moment ago and was not contacted now."""


class MonitoredServer:
    def __init__(self, *away: type[Exception]) -> None:
        """Create the wrapper. `away` lists the exceptions that a request raises when the server does not answer."""
        self._away = away
        self._breaker = Breaker(max_failures=1, longest_pause_s=LONGEST_PAUSE_S)
        self._lock = threading.Lock()

    def ask(self, do: Callable[[], Answer]) -> Answer:
        """Return the answer of `do`. It raises LeftAlone, or any exception that `do` raises."""
        with self._lock:
            if not self._breaker.asks(time.monotonic()):
                raise LeftAlone("it did not answer a moment ago, and is left alone for a second or two")
        try:
            answer = do()
        except self._away:
            with self._lock:
                self._breaker.failed(time.monotonic())
            raise
        with self._lock:
            self._breaker.succeeded()
        return answer
