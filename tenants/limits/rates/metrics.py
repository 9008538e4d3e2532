"""Define the metrics of limits."""

from prometheus_client import Counter, Gauge

REFUSED = Counter("maas_limits_refused_total", "Requests refused by a limit.", ["scope", "kind"])
TRIPS = Counter("maas_limits_redis_calls_total", "Calls to Redis for limits. One call serves many requests.")
ALONE = Counter(
    "maas_limits_local_decisions_total", "Requests decided without Redis because it was unavailable or slow."
)
GATES = Gauge("maas_limits_tracked", "Limits that this process tracks now.")
