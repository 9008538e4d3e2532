"""What a caller says about results that are there already, and what the answer says of them."""

from collections.abc import Iterable
from typing import Literal

Wish = Literal["", "no-cache", "no-store"]
"""`no-cache`: every page is run afresh, and may answer others. `no-store`: and answers nobody."""

HIT, MISS, COALESCED, BYPASS = "HIT", "MISS", "COALESCED", "BYPASS"


def wish_of(cache_control: str | None) -> Wish:
    """Of what else may stand in `Cache-Control`, only `max-age=0` asks for something that is kept here."""
    said = frozenset(_directives((cache_control or "").split(",")))
    if "no-store" in said:
        return "no-store"
    return "no-cache" if said & {"no-cache", "max-age=0"} else ""


def _directives(parts: Iterable[str]) -> Iterable[str]:
    for part in parts:
        name, equals, value = part.partition("=")
        yield f"{name.strip().lower()}{equals}{value.strip().strip(chr(34))}"


def x_cache(*, wish: str, pages_total: int, pages_cached: int, pages_coalesced: int) -> str:
    """Of a whole job: what is known in part is a miss, and the job says how many of its pages were not run."""
    if wish:
        return BYPASS
    if pages_cached < pages_total:
        return MISS
    return COALESCED if pages_coalesced else HIT
