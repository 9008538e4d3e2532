"""Metrics of the scheduler for usage events on their way out of the stream."""

from prometheus_client import Counter, Gauge

WAITING = Gauge("maas_meter_waiting", "Uses in the stream that are not counted yet.")
OLDEST = Gauge("maas_meter_oldest_seconds", "How long the oldest of them has been there.")
ROLLED_UP = Counter("maas_meter_rolled_up_total", "Uses that were counted and left the stream.")
SET_ASIDE = Counter("maas_meter_set_aside_total", "Uses that could not be counted.", ["reason"])
