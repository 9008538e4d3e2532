"""What answers say of limits: the IETF's `RateLimit` fields, and those that OpenAI's clients look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Literal

from tenants.rates.limits import WINDOW_S, Limit

Header = tuple[bytes, bytes]


@dataclass(slots=True)
class Standing:
    """How it stands with one rate."""

    limit: Limit
    left: int
    full_in_s: float


@lru_cache(1_000)
def _said(limit: Limit) -> tuple[str, str]:
    """What is allowed, which is the same in each answer; and how what is left of it begins."""
    return f'"{limit.policy}";q={limit.amount};w={WINDOW_S}', f'"{limit.policy}";r='


def rate_limit_headers(standings: Sequence[Standing]) -> list[Header]:
    """What is left, and in how many seconds it will be all of it again."""
    said = [_said(one.limit) for one in standings]
    now = [
        f"{start}{one.left};t={ceil(one.full_in_s)}" for (_, start), one in zip(said, standings, strict=True)
    ]
    return [
        (b"ratelimit-policy", ", ".join([allowed for allowed, _ in said]).encode()),
        (b"ratelimit", ", ".join(now).encode()),
    ]


def openai_headers(standings: Sequence[Standing]) -> list[Header]:
    """Of each kind the limit of which least is left."""
    headers: list[Header] = []
    for kind in ("requests", "tokens"):
        own = [one for one in standings if one.limit.kind == kind]
        if own:
            headers += _openai(kind, min(own, key=lambda one: one.left))
    return headers


def _openai(kind: Literal["requests", "tokens"], standing: Standing) -> list[Header]:
    name = kind.encode()
    return [
        (b"x-ratelimit-limit-%b" % name, b"%d" % standing.limit.amount),
        (b"x-ratelimit-remaining-%b" % name, b"%d" % standing.left),
        (b"x-ratelimit-reset-%b" % name, duration(standing.full_in_s).encode()),
    ]


def duration(seconds: float) -> str:
    """As OpenAI writes it: 20ms, 6.4s, 1m0s."""
    ms = ceil(seconds * 1000)
    if ms < 1000:
        return f"{ms}ms"
    minutes, rest_ms = divmod(ms, 60_000)
    rest = f"{rest_ms / 1000:g}s"
    return f"{minutes}m{rest}" if minutes else rest
