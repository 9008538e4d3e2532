"""The metrics of a worker. The labels never name a tenant."""

from prometheus_client import Counter, Gauge, Histogram

PAGES = Counter("maas_pages_total", "Pages ended by this worker.", ["model", "outcome"])
PAGE_SECONDS = Histogram(
    "maas_page_seconds",
    "Time from the claim of a page until its outcome is saved.",
    ["model"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
PAGE_WAIT_SECONDS = Histogram(
    "maas_page_wait_seconds",
    "Time that a page waits in its queue until a worker claims it.",
    ["model"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800),
)
PAGES_HELD = Gauge("maas_pages_in_flight", "Pages that this worker is processing now.")
RESIDENT_BYTES = Gauge("maas_model_resident_bytes", "Bytes of model weights held in memory.")
RESIDENT_MODELS = Gauge("maas_models_resident", "Model sessions held in memory.")
