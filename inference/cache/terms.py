"""What a model's operator says of results that are kept."""

from dataclasses import dataclass

CACHE_TTL_S = 86_400
"""What a version answers does not change; this bounds how long it is kept for somebody who may never ask again."""
LONGEST_TTL_S = 365 * 86_400


@dataclass(frozen=True, slots=True)
class CacheTerms:
    price_micros: int | None = None
    """For what the cache answers, in the units of the model's price; the price itself where it is not told."""
    ttl_s: int = CACHE_TTL_S
    """0: nothing is kept."""

    def __post_init__(self) -> None:
        if (self.price_micros or 0) < 0 or not 0 <= self.ttl_s <= LONGEST_TTL_S:
            raise ValueError(f"not a price and a time for what is kept: {self}")


USUAL_TERMS = CacheTerms()
