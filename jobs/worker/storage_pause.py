"""Leaves documents alone while the storage is full or away. Pages that would only be put off are not taken."""

import threading
import time
from collections.abc import Callable

from inference.core.breaker import Breaker
from jobs.core.errors import FileMissing, StorageUnavailable

LONGEST_PAUSE_S = 15.0


class StoragePause:
    """A pause for documents. One page in each pause finds out whether it is over. Other inputs go on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._breaker = Breaker(longest_pause_s=LONGEST_PAUSE_S)
        self._lock = threading.Lock()

    @property
    def is_on(self) -> bool:
        with self._lock:
            return self._breaker.is_open

    def takes_documents(self) -> bool:
        """Return whether a page of a document may be taken. Call this only for such a page: it may be the test."""
        with self._lock:
            return self._breaker.asks(self._clock())

    def opened(self) -> bool:
        """Record that a page of a document was opened. Return whether that ends a pause."""
        with self._lock:
            return self._breaker.succeeded()

    def failed(self, error: Exception) -> bool:
        """Record an error. Return whether it begins a pause."""
        if not isinstance(error, StorageUnavailable) or isinstance(error, FileMissing):
            return False
        with self._lock:
            return self._breaker.failed(self._clock())
