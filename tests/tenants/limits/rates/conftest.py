"""A Redis of our own, and limits that nobody else's test counts."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
import redis

from tenants.limits.rates.limits import CallerLimits, Limit, caller_limits
from tenants.limits.rates.rates import Rates
from tests.inference.rpc.mortal import MortalRedis

UNHURRIED_S = 20.0
"""The timeout in seconds of a desk whose test is not about a slow Redis, since this machine does other things as
well.
"""


@pytest.fixture(scope="module")
def server() -> Iterator[MortalRedis]:
    server = MortalRedis()
    yield server
    server.thaw()
    server.kill()


@pytest.fixture
def mortal() -> Iterator[MortalRedis]:
    server = MortalRedis()
    yield server
    server.thaw()
    server.kill()


@pytest.fixture
def client(server: MortalRedis) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(server.url) as client:
        yield client


def limits_of(rates: Rates, key: Rates | None = None, **models: Rates) -> CallerLimits:
    return caller_limits(uuid4(), rates, key_id=uuid4(), key=key, models=models)


def requests(amount: int) -> Limit:
    return limits_of(Rates(requests_per_minute=amount)).requests[0]


def tokens(amount: int) -> Limit:
    return limits_of(Rates(tokens_per_minute=amount)).tokens[0]


def calls(amount: int) -> Limit:
    return limits_of(Rates(calls_at_once=amount)).calls[0]
