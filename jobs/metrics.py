"""What the web process counts of jobs. Labels never name a tenant."""

from prometheus_client import Counter

JOBS_ACCEPTED = Counter("maas_jobs_accepted_total", "Jobs accepted, retries included.", ["model"])
