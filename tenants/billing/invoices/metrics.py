"""Metrics of the scheduler's monthly billing."""

from prometheus_client import Gauge

CLOCK_DIFFERENCE_S = Gauge(
    "maas_clock_difference_seconds", "How far this process's clock is ahead of the database's clock."
)
