"""Define the metrics of web processes about cached results."""

from functools import lru_cache

from prometheus_client import Counter, Gauge

CALLS = Counter(
    "maas_cache_calls_total", "Synchronous calls, by what the cache did for them.", ["model", "outcome"]
)
TEXTS = Counter(
    "maas_cache_texts_total",
    "Texts of calls for embeddings, by whether they were known.",
    ["model", "outcome"],
)
MEMORY = Gauge("maas_cache_memory_bytes", "What this process keeps in memory.", ["kind"])
REMOTE_FAILURES = Counter(
    "maas_cache_remote_failures_total", "Trips to the cache Redis that failed or took too long.", ["deed"]
)
UNKEPT = Counter("maas_cache_unkept_total", "Results that were not sent to the cache Redis: too much waited.")


@lru_cache(4_000)
def calls(model: str, outcome: str) -> Counter:
    """Return the counter with these labels. It is remembered, because finding the labels takes longer than counting."""
    return CALLS.labels(model, outcome)


@lru_cache(4_000)
def texts(model: str, outcome: str) -> Counter:
    return TEXTS.labels(model, outcome)
