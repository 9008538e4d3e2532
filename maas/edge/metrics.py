"""What the edge counts."""

from prometheus_client import Counter

REFUSALS = Counter("maas_refusals_total", "Requests and sockets refused before Django.", ["code"])
