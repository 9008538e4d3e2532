"""What a caller wants of kept results, by `Cache-Control`, and what the answer says of them."""

import math
from dataclasses import dataclass
from typing import Literal

Word = Literal["HIT", "MISS", "COALESCED", "BYPASS"]
Header = tuple[bytes, bytes]
LONGEST = 8 << 10
"""Characters of all such headers together that are read. Whoever sends more may have said anything: nothing is kept."""


@dataclass(frozen=True, slots=True)
class CacheWish:
    reads: bool = True
    """Kept results may answer."""
    keeps: bool = True
    """What is run may be kept."""
    most_age_s: float = math.inf

    @property
    def shares(self) -> bool:
        """A run that somebody else began, or what it found, will do."""
        return self.reads and self.keeps and self.most_age_s == math.inf


ANYTHING = CacheWish()
NEITHER = CacheWish(reads=False, keeps=False)


def cache_wish(header: str | None) -> CacheWish:
    """`no-cache`: run afresh, and keep that. `no-store`: neither. `max-age`: nothing older. The rest is ignored."""
    if header is None:
        return ANYTHING
    if len(header) > LONGEST:
        return NEITHER
    said = [one.strip().lower() for one in header.split(",")]
    if "no-store" in said:
        return NEITHER
    ages = [_seconds(one) for one in said if one.startswith("max-age=")]
    most_age_s = min(ages, default=math.inf)
    if "no-cache" in said or most_age_s <= 0:
        return CacheWish(reads=False)
    return CacheWish(most_age_s=most_age_s)


def _seconds(directive: str) -> float:
    """What is no number of seconds is taken for none, as RFC 9111 wants it."""
    value = directive.partition("=")[2].strip('"')
    return float(value) if value.isascii() and value.isdecimal() else 0.0


@dataclass(frozen=True, slots=True)
class CacheNote:
    """What was done for an answer."""

    word: Word
    age_s: float = 0.0
    """Of the oldest part that was known."""
    known: int = 0
    of: int = 1
    """Parts: texts of a list, or the whole."""

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
