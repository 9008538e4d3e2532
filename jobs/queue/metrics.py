"""The metrics of the scheduler."""

from prometheus_client import Counter, Gauge

LEADING = Gauge("maas_scheduler_leading", "1 on the leading scheduler, 0 on standby schedulers.")
QUEUED_PAGES = Gauge("maas_pages_queued", "Pages that wait for a worker.", ["model"])
QUEUE_AGE = Gauge("maas_queue_oldest_seconds", "How long the oldest runnable page has waited.", ["model"])
DEAD_LETTERS = Gauge("maas_dead_letters", "Messages in the dead-letter queue of RabbitMQ.", ["model"])
SWEPT = Counter("maas_leases_expired_total", "Leases of pages that expired because a worker stopped responding.")
