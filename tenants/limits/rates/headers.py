"""Write the response headers about limits: the IETF's `RateLimit` fields, and those that OpenAI's clients read."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from tenants.limits.rates.limits import WINDOW_S, Limit

Header = tuple[bytes, bytes]
_OPENAI_NAMES = tuple(
    (kind, (b"x-ratelimit-limit-" + name, b"x-ratelimit-remaining-" + name, b"x-ratelimit-reset-" + name))
    for kind, name in (("requests", b"requests"), ("tokens", b"tokens"))
)


@dataclass(slots=True)
class Standing:
    """The state of one rate."""

    limit: Limit
    left: int
    full_in_s: float


def rate_limit_headers(standings: Sequence[Standing]) -> list[Header]:
    """Return what is left of each rate, and in how many seconds all of it will be available again."""
    allowed = [f'"{one.limit.policy}";q={one.limit.amount};w={WINDOW_S}' for one in standings]
    now = [f'"{one.limit.policy}";r={one.left};t={ceil(one.full_in_s)}' for one in standings]
    return [
        (b"ratelimit-policy", ", ".join(allowed).encode()),
        (b"ratelimit", ", ".join(now).encode()),
    ]


def openai_headers(standings: Sequence[Standing]) -> list[Header]:
    """Return the headers for the limit of each kind of which the least is left."""
    least: dict[str, Standing] = {}
    for one in standings:
        kind = one.limit.kind
        if kind not in least or one.left < least[kind].left:
            least[kind] = one
    return [header for kind, names in _OPENAI_NAMES if kind in least for header in _openai(names, least[kind])]


def _openai(names: tuple[bytes, bytes, bytes], standing: Standing) -> tuple[Header, ...]:
    limit, remaining, reset = names
    return (
        (limit, b"%d" % standing.limit.amount),
        (remaining, b"%d" % standing.left),
        (reset, duration(standing.full_in_s).encode()),
    )


def duration(seconds: float) -> str:
    """Return a duration as OpenAI writes it: 20ms, 6.4s, 1m0s."""
    ms = ceil(seconds * 1000)
    if ms < 1000:
        return f"{ms}ms"
    minutes, rest_ms = divmod(ms, 60_000)
    rest = f"{rest_ms / 1000:g}s"
    return f"{minutes}m{rest}" if minutes else rest
