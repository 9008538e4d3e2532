"""Define what a model's operator sets about cached results."""

from dataclasses import dataclass

CACHE_TTL_S = 86_400
"""The default lifetime. The answer of a version does not change, so this only bounds how long a result is stored that
may never be requested again.
"""
LONGEST_TTL_S = 365 * 86_400


@dataclass(frozen=True, slots=True)
class CacheTerms:
    price_micros: int | None = None
    """The price of cache hits, in the units of the model's price, or None if it is the model's price."""
    ttl_s: int = CACHE_TTL_S
    """The lifetime of cached results, or 0 if none are cached."""

    def __post_init__(self) -> None:
        if (self.price_micros or 0) < 0 or not 0 <= self.ttl_s <= LONGEST_TTL_S:
            raise ValueError(f"not a price and a time for what is kept: {self}")


USUAL_TERMS = CacheTerms()
