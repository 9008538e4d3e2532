"""Metrics of a worker's choices of models."""

from prometheus_client import Counter, Gauge

DECISIONS = Counter(
    "maas_affinity_decisions_total",
    "Models that this worker claimed, by reason.",
    ["model", "reason"],
)
QUEUES = Gauge("maas_affinity_queues", "Model queues that this worker takes pages from now.")
