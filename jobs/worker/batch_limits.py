"""Keeps a worker's batches within the limits that operators set, and follows changes of these limits."""

import time
from collections.abc import Callable

import structlog
from django.db import close_old_connections

from inference.registry.batch_limits import batch_limits
from inference.runtime.batched import SessionBatchers

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0


class FollowedLimits:
    """The limits that operators set. A thread that reads the database anyway calls `look`."""

    def __init__(self, batchers: SessionBatchers, clock: Callable[[], float] = time.monotonic) -> None:
        self._batchers = batchers
        self._clock = clock
        self._next_s = float("-inf")

    def look(self) -> None:
        """Read the limits. While the database is unavailable, the limits that were read last stay in force."""
        if self._clock() < self._next_s:
            return
        self._next_s = self._clock() + LOOK_EVERY_S
        try:
            self._batchers.limit(batch_limits())
        except Exception as error:
            log.warning("batch_limits_not_read", error=str(error))
        finally:
            close_old_connections()
