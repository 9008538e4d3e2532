"""Spend amounts that are known in advance from several limits at once, either all or nothing. This runs in threads and
takes one round trip.

If Redis does not answer in time, each process applies the limits separately.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError
from redis.retry import Retry

from tenants.core.token_bucket import WINDOW_US
from tenants.limits.rates.asking import Ask, Heard
from tenants.limits.rates.headers import Standing
from tenants.limits.rates.known import KnownBucket
from tenants.limits.rates.limits import Limit
from tenants.limits.rates.metrics import ALONE, TRIPS
from tenants.limits.rates.refusals import rate_limited
from tenants.limits.rates.script import SHA, TEXT
from tenants.limits.rates.trips import Words, heard, words

log = structlog.get_logger(__name__)
TIMEOUT_S = 0.045
LEFT_ALONE_S = 1.0
"""The time for which Redis is not asked again after it has not answered."""
MAX_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Price:
    """An amount of one limit. If it exceeds the limit itself, a full bucket is sufficient and the rest becomes
    a debt.
    """

    limit: Limit
    count: int


class Spending:
    def __init__(self, url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            # There is no retry, because what Redis carried out but answered late would be spent twice. A connection
            # that was closed while it was idle is detected before anything is sent on it.
            retry=Retry(NoBackoff(), 0),
        )
        self._lock = threading.Lock()
        self._known: OrderedDict[str, KnownBucket] = OrderedDict()
        self._away_until_s = float("-inf")
        self._away = False

    def spend(self, prices: Sequence[Price]) -> None:
        """Spend the amounts. Raises RateLimited, in which case nothing is spent."""
        if not prices:
            return
        asks = [Ask("rate", price.limit.amount, need=price.count) for price in prices]
        answers = self._asked(prices, asks, together=True)
        if answers is None:
            self._spend_alone(prices)
            return
        now_s = time.monotonic()
        missing = [self._missing(price, answer, now_s) for price, answer in zip(prices, answers, strict=True)]
        if any(missing):
            worst = max(range(len(prices)), key=missing.__getitem__)
            raise _refusal(prices[worst], missing[worst])

    def give_back(self, prices: Sequence[Price]) -> None:
        """Give back what was spent for something that did not take place."""
        if prices:
            self._asked(prices, [Ask("rate", one.limit.amount, back=one.count) for one in prices])

    def standings(self, limits: Sequence[Limit]) -> list[Standing] | None:
        """Return the state of the limits, or None if Redis is unavailable. What processes have leased and not yet used
        counts as used.
        """
        prices = [Price(limit, 0) for limit in limits]
        asks = [Ask("slots" if one.kind == "calls" else "rate", one.amount) for one in limits]
        answers = self._asked(prices, asks)
        if answers is None:
            return None
        return [_standing(limit, answer) for limit, answer in zip(limits, answers, strict=True)]

    def _asked(self, prices: Sequence[Price], asks: Sequence[Ask], *, together: bool = False) -> list[Heard] | None:
        if time.monotonic() < self._away_until_s:
            return None
        said = words([price.limit.key for price in prices], asks, "", together=together)
        try:
            answers = heard(self._say(said))
        except (RedisError, OSError) as error:
            if not self._away:
                log.warning("limits_redis_unavailable", error=str(error) or type(error).__name__)
            self._away, self._away_until_s = True, time.monotonic() + LEFT_ALONE_S
            return None
        self._away = False
        return answers

    def _say(self, said: Words) -> Any:
        TRIPS.inc()
        count, *rest = said
        try:
            return self._client.evalsha(SHA, cast(int, count), *rest)
        except NoScriptError:
            return self._client.eval(TEXT, cast(int, count), *rest)

    def _missing(self, price: Price, answer: Heard, now_s: float) -> float:
        """Return the seconds until enough is available, or 0 if it was."""
        with self._lock:
            self._bucket(price.limit).hear(answer.rest, now_s)
        if answer.granted >= price.count:
            return 0.0
        return max(0.0, _wait_us(price, answer.rest) / 1_000_000)

    def _spend_alone(self, prices: Sequence[Price]) -> None:
        ALONE.inc()
        now_s = time.monotonic()
        with self._lock:
            for price in prices:
                limit = price.limit
                if self._bucket(limit).available(limit.amount, now_s) < min(price.count, limit.amount):
                    raise _refusal(price, self._bucket(limit).wait_s(limit.amount, now_s))
            for price in prices:
                self._bucket(price.limit).take(price.count, price.limit.amount, now_s)

    def _bucket(self, limit: Limit) -> KnownBucket:
        bucket = self._known.setdefault(limit.key, KnownBucket())
        self._known.move_to_end(limit.key)
        while len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        return bucket


@cache
def spending() -> Spending:
    """Return the limiter of this process."""
    return Spending(settings.MAAS_REDIS_URL)


def _wait_us(price: Price, full_in_us: int) -> int:
    needed_us = -(-min(price.count, price.limit.amount) * WINDOW_US // price.limit.amount)
    return full_in_us - WINDOW_US + needed_us


def _refusal(price: Price, wait_s: float) -> Exception:
    many = f", and this has {price.count:,}" if price.count > 1 else ""
    return rate_limited(price.limit, wait_s, many)


def _standing(limit: Limit, answer: Heard) -> Standing:
    if limit.kind == "calls":
        return Standing(limit, max(0, limit.amount - answer.rest), 0.0)
    left = max(0, (WINDOW_US - answer.rest) * limit.amount // WINDOW_US)
    return Standing(limit, left, max(0, answer.rest) / 1_000_000)
