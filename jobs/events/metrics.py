"""The metrics of events."""

from prometheus_client import Gauge

HORIZON_AGE = Gauge(
    "maas_events_blocked_seconds",
    "How long an open transaction has delayed new events for all tenants.",
)
