"""Metrics of outgoing requests."""

from prometheus_client import Counter, Histogram

REQUESTS = Counter("maas_egress_requests_total", "Requests to URLs given by tenants.", ["outcome"])
SECONDS = Histogram(
    "maas_egress_seconds",
    "Time from the DNS lookup to the end of the response, or to the failure.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 60, 300),
)
