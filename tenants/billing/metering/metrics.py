"""Metrics of the scheduler for usage events on their way out of the stream."""

from prometheus_client import Counter, Gauge

WAITING = Gauge("maas_meter_events_pending", "Meter events in the stream that are not recorded yet.")
OLDEST = Gauge("maas_meter_oldest_seconds", "Age of the oldest meter event in the stream.")
ROLLED_UP = Counter(
    "maas_meter_rolled_up_total", "Meter events that were recorded and removed from the stream."
)
SET_ASIDE = Counter("maas_meter_quarantined_total", "Meter events that could not be recorded.", ["reason"])
