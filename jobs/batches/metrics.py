"""The metrics of batches. The labels never name a tenant."""

from prometheus_client import Counter, Gauge

LINES = Counter("maas_file_batch_lines_total", "Lines of file batches that ended, by outcome.", ["model", "outcome"])
UNFINISHED = Gauge("maas_file_batches_unfinished", "File batches that have not ended, by status.", ["status"])
