"""The metrics of jobs, which are mostly counted by the web process. The labels never name a tenant."""

from prometheus_client import Counter, Gauge

JOBS_ACCEPTED = Counter("maas_jobs_accepted_total", "Jobs accepted, retries included.", ["model"])
ERASED = Counter("maas_erased_total", "What was erased for good, and why.", ["what", "because"])
OVERDUE_S = Gauge(
    "maas_retention_overdue_seconds",
    "How long the longest overdue is past its time, and still there.",
    ["what"],
)
