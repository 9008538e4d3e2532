"""Read the `Cache-Control` header of a request, and write the response headers that say how the cache was used."""

import math
from dataclasses import dataclass
from typing import Literal

Word = Literal["HIT", "MISS", "COALESCED", "BYPASS"]
Header = tuple[bytes, bytes]
LONGEST = 8 << 10
"""The most characters of all `Cache-Control` headers together that are read. If a caller sends more, the cache is
neither read nor written.
"""


@dataclass(frozen=True, slots=True)
class CacheWish:
    reads: bool = True
    """True if cached results may answer the call."""
    keeps: bool = True
    """True if the result of a run may be cached."""
    max_age_s: float = math.inf

    @property
    def shares(self) -> bool:
        """Return whether the caller accepts the result of a run that another caller began."""
        return self.reads and self.keeps and self.max_age_s == math.inf


ANYTHING = CacheWish()
NEITHER = CacheWish(reads=False, keeps=False)


def cache_wish(header: str | None) -> CacheWish:
    """Parse the cache directives. `no-cache` runs the model again and caches the result, `no-store` neither reads nor
    writes the cache, `max-age` accepts no older result. All other directives are ignored.
    """
    if header is None:
        return ANYTHING
    if len(header) > LONGEST:
        return NEITHER
    said = [one.strip().lower() for one in header.split(",")]
    if "no-store" in said:
        return NEITHER
    ages = [_seconds(one) for one in said if one.startswith("max-age=")]
    max_age_s = min(ages, default=math.inf)
    if "no-cache" in said or max_age_s <= 0:
        return CacheWish(reads=False)
    return CacheWish(max_age_s=max_age_s)


def _seconds(directive: str) -> float:
    """Return the number of seconds of a directive. An invalid number counts as 0, as RFC 9111 recommends."""
    value = directive.partition("=")[2].strip('"')
    return float(value) if value.isascii() and value.isdecimal() else 0.0


@dataclass(frozen=True, slots=True)
class CacheNote:
    """A note of how the cache was used for an answer."""

    word: Word
    age_s: float = 0.0
    """The age of the oldest cached part."""
    known: int = 0
    of: int = 1
    """The number of parts: the texts of a list, or 1 for the whole."""

    @property
    def headers(self) -> tuple[Header, ...]:
        if self.word == "HIT":
            return hit_headers(self.age_s)
        told: tuple[Header, ...] = ((b"x-cache", self.word.encode()),)
        if self.known:
            told = (*told, (b"x-cache-known", b"%d/%d" % (self.known, self.of)))
        return told


_HIT: Header = (b"x-cache", b"HIT")


def hit_headers(age_s: float) -> tuple[Header, ...]:
    return (_HIT, (b"age", b"%d" % age_s))
