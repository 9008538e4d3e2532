"""Define the metrics of limits."""

from prometheus_client import Counter, Gauge

REFUSED = Counter("maas_limits_refused_total", "Requests refused by a limit.", ["of", "kind"])
TRIPS = Counter("maas_limits_trips_total", "Trips to Redis about limits; one is for many requests.")
ALONE = Counter("maas_limits_alone_total", "Requests decided without Redis, as it was away or slow.")
GATES = Gauge("maas_limits_known", "Limits that this process keeps account of at the moment.")
