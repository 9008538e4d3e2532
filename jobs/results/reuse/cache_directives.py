"""The caller's cache directives, and the response's report on cached results."""

from collections.abc import Iterable
from typing import Literal

Wish = Literal["", "no-cache", "no-store"]
"""The cache directive. `no-cache` runs every page anew; with `no-store` the result is not reused later either."""

HIT, MISS, COALESCED, BYPASS = "HIT", "MISS", "COALESCED", "BYPASS"


def wish_of(cache_control: str | None) -> Wish:
    """Return the directive in a `Cache-Control` header. Of the others, only `max-age=0` has an effect."""
    directives = frozenset(_directives((cache_control or "").split(",")))
    if "no-store" in directives:
        return "no-store"
    return "no-cache" if directives & {"no-cache", "max-age=0"} else ""


def _directives(parts: Iterable[str]) -> Iterable[str]:
    for part in parts:
        name, equals, value = part.partition("=")
        yield f"{name.strip().lower()}{equals}{value.strip().strip(chr(34))}"


def x_cache(*, wish: str, pages_total: int, pages_cached: int, pages_coalesced: int) -> str:
    """Return the cache state of a whole job. A job with only some cached pages is a miss."""
    if wish:
        return BYPASS
    if pages_cached < pages_total:
        return MISS
    return COALESCED if pages_coalesced else HIT
