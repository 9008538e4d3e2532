"""Metrics of outgoing requests."""

from prometheus_client import Counter, Histogram

REQUESTS = Counter("maas_egress_requests_total", "Requests to addresses that tenants named.", ["outcome"])
SECONDS = Histogram(
    "maas_egress_seconds",
    "From the lookup of the name to the end of the answer, or to the failure.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 60, 300),
)
