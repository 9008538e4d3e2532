"""Metrics of the live layer of a web process. Labels never name a tenant."""

from prometheus_client import Counter, Gauge

OPEN = Gauge("maas_streaming_connections", "Event streams and sockets that are open now.", ["kind"])
ADMISSION_REFUSED = Counter(
    "maas_admission_refused_total",
    "Jobs and documents refused at admission because too many arrived at once.",
    ["scope"],
)
ENDED = Counter("maas_streams_ended_total", "Event streams that have ended, by reason.", ["reason"])
