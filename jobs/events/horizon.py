"""Watches the position up to which events may be read, which any open transaction of the server holds back."""

import time
from dataclasses import dataclass

from django.db import connections
from prometheus_client import Gauge

from tenants.core.db.unit_of_work import OPERATOR, operator_work

HORIZON_AGE = Gauge(
    "maas_events_blocked_seconds",
    "How long an open transaction has delayed new events for all tenants.",
)


_NOW = """
SELECT pg_snapshot_xmin(now)::text::numeric::bigint, pg_snapshot_xmax(now)::text::numeric::bigint
FROM pg_current_snapshot() now
"""


@dataclass
class Horizon:
    """The time for which the position has not moved, as far as it has been observed."""

    _at: int = -1
    _since_s: float = 0.0

    def age_s(self, oldest_running: int, next_one: int, now_s: float) -> float:
        """Return the age of the position. If no transaction runs, nothing is held, however long that lasts."""
        if oldest_running != self._at or oldest_running >= next_one:
            self._at, self._since_s = oldest_running, now_s
        return now_s - self._since_s


_horizon = Horizon()


def notify_horizon() -> None:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_NOW)
        oldest_running, next_one = cursor.fetchone()
    HORIZON_AGE.set(_horizon.age_s(oldest_running, next_one, time.monotonic()))
