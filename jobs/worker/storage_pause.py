"""Leaves documents alone while the storage is full or away: pages that would only be put off are not taken at all."""

import threading
import time
from collections.abc import Callable

from inference.core.breaker import Breaker
from jobs.core.errors import FileMissing, StorageUnavailable

LONGEST_PAUSE_S = 15.0


class StoragePause:
    """One page in each pause finds out whether it is over; texts and tensors, which need no storage, go on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._breaker = Breaker(longest_pause_s=LONGEST_PAUSE_S)
        self._lock = threading.Lock()

    @property
    def is_on(self) -> bool:
        with self._lock:
            return self._breaker.is_open

    def takes_documents(self) -> bool:
        """Only asked for a page that is one of a document: who is let through in a pause finds out for the others."""
        with self._lock:
            return self._breaker.asks(self._clock())

    def opened(self) -> bool:
        """A page of a document was. Whether that ends a pause."""
        with self._lock:
            return self._breaker.succeeded()

    def failed(self, error: Exception) -> bool:
        """Whether that begins a pause."""
        if not isinstance(error, StorageUnavailable) or isinstance(error, FileMissing):
            return False
        with self._lock:
            return self._breaker.failed(self._clock())
