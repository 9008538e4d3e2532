"""Counts failed tries to sign in, so that guessing takes for ever and nobody can keep another out.

What sends mail to an address and what asks for a code is counted in the same way, under bounds of its own.

Few tries are left to one place for one e-mail address, more to one place for all, and many to the whole world for one
e-mail address: whoever fails on purpose keeps out mostly themselves. A count lives for ten minutes from its first
try, whatever happens meanwhile. The counts lie in the cache Redis; when that is away, people get in.
"""

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import redis
import structlog

from tenants.core.asgi.client_ip import place_of
from tenants.core.redis.cache import cache_redis

log = structlog.get_logger(__name__)
WINDOW_S = 600
PER_PAIR = 10
PER_EMAIL = 100
"""So many that it takes a crowd of places to keep one person out, and so few that a crowd guesses nothing."""
PER_PLACE = 50
"""More than for one e-mail: a whole office may share an address."""


@dataclass(frozen=True)
class Bounds:
    """How often one kind of thing may be tried in a while."""

    kind: str
    per_pair: int
    per_email: int
    per_place: int


SIGN_IN = Bounds("sign-in", PER_PAIR, PER_EMAIL, PER_PLACE)
MAIL = Bounds("mail", 5, 10, 30)
"""Each sends one, to an address that anybody may have typed."""
CODE = Bounds("code", 10, 30, 50)
"""Whoever gets so far knows the password already; of a million codes three are good at a time."""

AWAY = Bounds("away", PER_PLACE, PER_PLACE, PER_PLACE)
"""Each asks another service, and writes down in a session what was begun."""


@dataclass(frozen=True)
class Attempt:
    email: str
    """Or whatever else names whom it is about."""
    address: str
    bounds: Bounds = SIGN_IN

    @property
    def pair_key(self) -> str:
        return self._key("pair", f"{_plain(self.email)} {place_of(self.address)}")

    def counts(self) -> Iterator[tuple[str, int]]:
        """Key and limit; digests, so that no list of addresses lies in Redis."""
        yield self.pair_key, self.bounds.per_pair
        yield self._key("email", _plain(self.email)), self.bounds.per_email
        if self.address:
            yield self._key("place", place_of(self.address)), self.bounds.per_place

    def _key(self, kind: str, value: str) -> str:
        digest = hashlib.sha256(value.encode(errors="replace")).hexdigest()
        return f"{self.bounds.kind}:{kind}:{digest}"


def reserve(attempt: Attempt) -> int:
    """Seconds until this may be tried. 0 is now, and it counts as failed until it is taken back or forgiven.

    Counted before the password is looked at: many tries at once are no more than many tries.
    """
    try:
        waits = [
            ttl_s
            for (_, limit), (count, ttl_s) in zip(attempt.counts(), _count(attempt), strict=True)
            if count > limit
        ]
    except redis.RedisError as error:
        log.warning("sign_in_attempts_not_counted", error=str(error))
        return 0
    if waits:
        # Else who is kept out in one place would go on to fill the count of all places.
        take_back(attempt)
    return max([0, *(max(ttl_s, 1) for ttl_s in waits)])


def take_back(attempt: Attempt) -> None:
    """No password was looked at."""
    _change(attempt, forget_pair=False)


def forgive(attempt: Attempt) -> None:
    """Who knows the password is not guessing it. Only here: others may be guessing it elsewhere."""
    _change(attempt, forget_pair=True)


def _count(attempt: Attempt) -> list[tuple[int, int]]:
    pipeline: Any = cache_redis().pipeline(transaction=True)
    for key, _ in attempt.counts():
        pipeline.set(key, 0, ex=WINDOW_S, nx=True).incr(key).ttl(key)
    answers = pipeline.execute()
    return list(zip(answers[1::3], answers[2::3], strict=True))


def _change(attempt: Attempt, *, forget_pair: bool) -> None:
    try:
        pipeline: Any = cache_redis().pipeline(transaction=True)
        for key, _ in attempt.counts():
            # Never without an end, also where the count has ended meanwhile.
            pipeline.set(key, 0, ex=WINDOW_S, nx=True).decr(key)
        if forget_pair:
            pipeline.delete(attempt.pair_key)
        pipeline.execute()
    except redis.RedisError as error:
        log.warning("sign_in_attempts_not_counted", error=str(error))


def _plain(email: str) -> str:
    """As loosely as any page reads it: one person's address written in many ways is one."""
    return unicodedata.normalize("NFKC", email).strip().lower()
