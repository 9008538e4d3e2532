"""Define the metrics of web processes about cached results."""

from functools import lru_cache

from prometheus_client import Counter, Gauge

CALLS = Counter("maas_cache_calls_total", "Synchronous calls by cache outcome.", ["model", "outcome"])
TEXTS = Counter(
    "maas_cache_texts_total",
    "Texts of embedding calls by cache outcome.",
    ["model", "outcome"],
)
MEMORY = Gauge("maas_cache_memory_bytes", "Memory used by cached results and responses of this process.", ["kind"])
REMOTE_FAILURES = Counter(
    "maas_cache_remote_failures_total", "Calls to the cache Redis that failed or timed out.", ["action"]
)
UNKEPT = Counter(
    "maas_cache_writes_dropped_total", "Results not sent to the cache Redis because its write queue was full."
)


@lru_cache(4_000)
def calls(model: str, outcome: str) -> Counter:
    """Return the counter with these labels. It is remembered, because finding the labels takes longer than counting."""
    return CALLS.labels(model, outcome)


@lru_cache(4_000)
def texts(model: str, outcome: str) -> Counter:
    return TEXTS.labels(model, outcome)
