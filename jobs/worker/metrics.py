"""The metrics of a worker. The labels never name a tenant."""

from prometheus_client import Counter, Gauge, Histogram

PAGES = Counter("maas_pages_total", "Pages ended by this worker.", ["model", "outcome"])
PAGE_SECONDS = Histogram(
    "maas_page_seconds",
    "Time from claim to written end of a page.",
    ["model"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
PAGE_WAIT_SECONDS = Histogram(
    "maas_page_wait_seconds",
    "Time from when a page may run to its claim.",
    ["model"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800),
)
PAGES_HELD = Gauge("maas_pages_held", "Pages this worker is working on now.")
RESIDENT_BYTES = Gauge("maas_model_resident_bytes", "Bytes of model weights held in memory.")
RESIDENT_MODELS = Gauge("maas_models_resident", "Model sessions held in memory.")
