"""Metrics of cache lookups for pages. Labels never name a tenant."""

from prometheus_client import Counter

HIT, MISS, COALESCED = "hit", "miss", "coalesced"
PAGE_LOOKUPS = Counter(
    "maas_page_lookups_total",
    "Pages whose results were looked for, and what came of it.",
    ["model", "outcome"],
)
