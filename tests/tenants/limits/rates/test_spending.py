"""Tests of what is spent in advance, at a Redis that is slow or has dropped its connections."""

import threading

import pytest
import redis

from tenants.limits.rates.limits import Limit
from tenants.limits.rates.rates import Rates
from tenants.limits.rates.refusals import RateLimited
from tenants.limits.rates.spending import Price, Spending
from tests.inference.rpc.mortal import MortalRedis
from tests.tenants.limits.rates.conftest import UNHURRIED_S, limits_of
from tests.waiting import eventually


def pages(amount: int) -> Limit:
    return limits_of(Rates(pages_per_minute=amount)).pages[0]


def left(server: MortalRedis, limit: Limit) -> int | None:
    standings = Spending(server.url, timeout_s=UNHURRIED_S).standings([limit])
    return standings[0].left if standings else None


def test_what_a_slow_redis_has_heard_is_spent_once(mortal: MortalRedis) -> None:
    limit, spending = pages(1_000_000), Spending(mortal.url, timeout_s=0.5)
    spending.spend([Price(limit, 0)])
    mortal.freeze()
    # Redis is back by the time an impatient client would send the request again.
    thawing = threading.Timer(0.75, mortal.thaw)
    thawing.start()
    spending.spend([Price(limit, 100_000)])
    thawing.join()
    eventually(lambda: (left(mortal, limit) or 1_000_000) < 950_000, "Redis has worked off what it heard")
    assert (left(mortal, limit) or 0) >= 900_000


def test_a_connection_that_was_closed_while_it_rested_keeps_nobody_from_spending(
    server: MortalRedis, client: "redis.Redis"
) -> None:
    limit, spending = pages(2), Spending(server.url, timeout_s=UNHURRIED_S)
    spending.spend([Price(limit, 1)])
    client.client_kill_filter(_type="normal", skipme=True)
    spending.spend([Price(limit, 1)])
    assert left(server, limit) == 0
    with pytest.raises(RateLimited):
        spending.spend([Price(limit, 1)])
