"""The metrics of events."""

from prometheus_client import Gauge

HORIZON_AGE = Gauge(
    "maas_events_held_seconds",
    "For how long one open transaction has held back what happens since, for everybody.",
)
