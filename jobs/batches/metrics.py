"""The metrics of batches. The labels never name a tenant."""

from prometheus_client import Counter, Gauge

LINES = Counter("maas_bulk_lines_total", "Lines of batches that ended, by outcome.", ["model", "outcome"])
UNFINISHED = Gauge("maas_bulk_batches", "Batches that have not ended yet.", ["status"])
