"""A figure that takes a while to count. It is counted in another thread and shown from memory, so that requests need
not wait for it.
"""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

import structlog
from django.db import connections

from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
Figure = TypeVar("Figure")


class Remembered(Generic[Figure]):
    """A figure that each web process counts for itself, and only while the page is open."""

    def __init__(
        self, count: Callable[[], Figure], *, every_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._count = count
        self._every_s = every_s
        self._clock = clock
        self._figure: Figure | None = None
        self._counted_s = float("-inf")
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def refresh(self) -> None:
        """Start to count if the last count is old enough and no other count is in progress."""
        with self._lock:
            if self._clock() - self._counted_s >= self._every_s and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="figures", daemon=True)
                self._thread.start()

    def get(self, timeout_s: float = 0.0) -> Figure | None:
        """Return the last count, however old, or None before the first. Wait up to `timeout_s` for a count in
        progress.
        """
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(timeout=max(0.0, timeout_s))
        return self._figure

    def _run(self) -> None:
        try:
            with operator_work():
                self._figure = self._count()
        except Exception:
            # The last figure stays. The next refresh tries again.
            log.exception("admin_statistic_failed", statistic=self._count.__name__)
        finally:
            connections.close_all()
            with self._lock:
                self._counted_s, self._thread = self._clock(), None
