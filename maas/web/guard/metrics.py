"""Count what the guard refuses, and measure every request by its kind and outcome."""

from functools import cache

from prometheus_client import Counter, Histogram

REFUSALS = Counter("maas_refusals_total", "Requests and websockets refused by the guard, before Django.", ["code"])
REQUEST_SECONDS = Histogram(
    "maas_request_seconds",
    "Time from a request's arrival to the start of its response.",
    ["kind", "outcome"],
    # There are few buckets, because each is a series for every kind and outcome.
    buckets=(0.005, 0.01, 0.025, 0.1, 0.25, 1, 5, 30),
)
FAST_CALLS = Counter("maas_fast_calls_total", "Synchronous calls answered in the fast way, before the guard.")


@cache
def request_seconds(kind: str, outcome: str) -> Histogram:
    """Return the histogram with these labels. It is remembered, because looking it up each time would take longer than
    the measurement.
    """
    return REQUEST_SECONDS.labels(kind, outcome)
