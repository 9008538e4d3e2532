"""Counts failed attempts to sign in, emails and codes, so that guessing takes forever and nobody locks out another.

Few attempts are allowed from one client IP for one email address, more from one IP for all, and many from everywhere
for one. A count lasts for ten minutes from its first attempt. Without the cache Redis, people can sign in.
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
"""The most attempts for one email address: many client IPs are needed to lock it, and cannot guess its password."""
PER_PLACE = 50
"""The most attempts from one client IP. A whole office may share it."""


@dataclass(frozen=True)
class Bounds:
    """The limits on attempts of one kind within the window."""

    kind: str
    per_pair: int
    per_email: int
    per_place: int


SIGN_IN = Bounds("sign-in", PER_PAIR, PER_EMAIL, PER_PLACE)
MAIL = Bounds("mail", 5, 10, 30)
"""The bounds of emails. Each attempt sends an email, to an address that anybody may have typed."""
CODE = Bounds("code", 10, 30, 50)
"""The bounds of codes, after a right password. Three of a million codes are valid at a time."""

AWAY = Bounds("away", PER_PLACE, PER_PLACE, PER_PLACE)
"""The bounds of sign-ins through another service. Each sends it a request and is stored in a session."""


@dataclass(frozen=True)
class Attempt:
    email: str
    """The email address, or another value that identifies the subject of the attempt."""
    address: str
    bounds: Bounds = SIGN_IN

    @property
    def pair_key(self) -> str:
        return self._key("pair", f"{_plain(self.email)} {place_of(self.address)}")

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield each key with its limit. The keys are digests, so that Redis holds no list of addresses."""
        yield self.pair_key, self.bounds.per_pair
        yield self._key("email", _plain(self.email)), self.bounds.per_email
        if self.address:
            yield self._key("place", place_of(self.address)), self.bounds.per_place

    def _key(self, kind: str, value: str) -> str:
        digest = hashlib.sha256(value.encode(errors="replace")).hexdigest()
        return f"{self.bounds.kind}:{kind}:{digest}"


def reserve(attempt: Attempt) -> int:
    """Count an attempt, and return the seconds until it is allowed, or 0 if it is allowed now.

    The attempt is counted before the password is checked, so that concurrent attempts cannot exceed the limit. It
    counts as failed until `take_back` or `forgive` is called.
    """
    try:
        waits = [
            ttl_s for (_, limit), (count, ttl_s) in zip(attempt.counts(), _count(attempt), strict=True) if count > limit
        ]
    except redis.RedisError as error:
        log.warning("sign_in_attempts_not_counted", error=str(error))
        return 0
    if waits:
        # Otherwise an attempt that is refused from one client IP would still fill the count for all client IPs.
        take_back(attempt)
    return max([0, *(max(ttl_s, 1) for ttl_s in waits)])


def take_back(attempt: Attempt) -> None:
    """Subtract an attempt from its counts, because no password was checked in it."""
    _change(attempt, forget_pair=False)


def forgive(attempt: Attempt) -> None:
    """Subtract an attempt with the right password, and reset the count of this email and client IP. The counts of the
    email from other client IPs stay, because the password may still be guessed there.
    """
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
            # The count always expires, also if the previous count has ended in the meantime.
            pipeline.set(key, 0, ex=WINDOW_S, nx=True).decr(key)
        if forget_pair:
            pipeline.delete(attempt.pair_key)
        pipeline.execute()
    except redis.RedisError as error:
        log.warning("sign_in_attempts_not_counted", error=str(error))


def _plain(email: str) -> str:
    """Normalize an email address so that all spellings that a page accepts share one count."""
    return unicodedata.normalize("NFKC", email).strip().lower()
