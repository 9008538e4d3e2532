"""Metrics of the live layer of a web process. Labels never name a tenant."""

from prometheus_client import Counter, Gauge

OPEN = Gauge("maas_live_open", "Event streams and sockets that are open now.", ["kind"])
TURNED_AWAY = Counter(
    "maas_turned_away_total",
    "Jobs and documents that were refused at the door, as too much came at once.",
    ["of"],
)
ENDED = Counter("maas_streams_ended_total", "Event streams that have ended, by the reason.", ["reason"])
