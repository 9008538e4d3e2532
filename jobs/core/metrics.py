"""The metrics of jobs, which are mostly counted by the web process. The labels never name a tenant."""

from prometheus_client import Counter, Gauge

JOBS_ACCEPTED = Counter("maas_jobs_accepted_total", "Jobs accepted, retries included.", ["model"])
ERASED = Counter(
    "maas_erased_total",
    "Jobs, documents and events that were erased permanently, by reason.",
    ["kind", "reason"],
)
OVERDUE_S = Gauge(
    "maas_retention_overdue_seconds",
    "How long the most overdue item is past its retention time.",
    ["kind"],
)
