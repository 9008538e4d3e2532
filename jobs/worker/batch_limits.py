"""Keeps a worker's batches within the limits that operators set, as they are set."""

import time
from collections.abc import Callable

import structlog
from django.db import close_old_connections

from inference.registry.batch_limits import batch_limits
from inference.runtime.batched import SessionBatchers

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0


class FollowedLimits:
    """Asked at each look of whoever reads the database anyway; not more often than once a second."""

    def __init__(self, batchers: SessionBatchers, clock: Callable[[], float] = time.monotonic) -> None:
        self._batchers = batchers
        self._clock = clock
        self._next_s = float("-inf")

    def look(self) -> None:
        """While the database is away, the last limits that were read hold."""
        if self._clock() < self._next_s:
            return
        self._next_s = self._clock() + LOOK_EVERY_S
        try:
            self._batchers.limit(batch_limits())
        except Exception as error:
            log.warning("batch_limits_not_read", error=str(error))
        finally:
            close_old_connections()
