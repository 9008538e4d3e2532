"""The metrics of the scheduler."""

from prometheus_client import Counter, Gauge

LEADING = Gauge("maas_scheduler_leading", "1 on the scheduler that leads, 0 on those that stand by.")
QUEUED_PAGES = Gauge("maas_pages_queued", "Pages that wait for a worker.", ["model"])
QUEUE_AGE = Gauge(
    "maas_queue_oldest_seconds", "How long the oldest page that could run has waited.", ["model"]
)
DEAD_LETTERS = Gauge("maas_dead_letters", "Messages that RabbitMQ has set aside.", ["model"])
SWEPT = Counter("maas_leases_expired_total", "Pages taken from workers that went silent.")
