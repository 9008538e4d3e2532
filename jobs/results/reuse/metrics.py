"""Metrics of cache lookups for pages. Labels never name a tenant."""

from prometheus_client import Counter

HIT, MISS, COALESCED = "hit", "miss", "coalesced"
PAGE_LOOKUPS = Counter(
    "maas_page_lookups_total",
    "Cache lookups for the results of pages, by outcome.",
    ["model", "outcome"],
)
