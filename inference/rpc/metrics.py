"""Define the metrics of the RPC. Their labels never name a tenant."""

from prometheus_client import Counter, Histogram

REQUESTS = Counter("maas_rpc_requests_total", "Synchronous requests by outcome.", ["model", "outcome"])
WAIT_SECONDS = Histogram(
    "maas_rpc_wait_seconds",
    "Time from a request's arrival in its queue until a worker takes it.",
    ["model"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
