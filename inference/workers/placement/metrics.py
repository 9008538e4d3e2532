"""Metrics of a worker's choices of models."""

from prometheus_client import Counter, Gauge

DECISIONS = Counter(
    "maas_affinity_decisions_total",
    "Models that this worker took, by what decided for it.",
    ["model", "reason"],
)
QUEUES = Gauge("maas_affinity_queues", "Model queues this worker takes pages from now.")
