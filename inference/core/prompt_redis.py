"""The durable Redis for code that it must not hold up: hints, messages and liveness checks. By default, redis-py tries
ten times with pauses, and a Redis that is stopped would hold up every sender of a message for half a minute.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from inference.core.monitored_server import LeftAlone, MonitoredServer

TIMEOUT_S = 0.2
SLOW_TIMEOUT_S = 2.0
Answer = TypeVar("Answer")


class RedisLeftAlone(redis.ConnectionError):
    """The error for a Redis that did not answer a moment ago. It is not a new failure and need not be logged again."""


class PromptRedis:
    """A Redis client that tries once, with a short timeout. While Redis is unavailable, one thread tries it again
    every second or two, and all other calls fail at once.
    """

    def __init__(self, url: str) -> None:
        self._client = single_try(url, TIMEOUT_S)
        self._server = MonitoredServer(redis.ConnectionError, redis.TimeoutError)

    def ask(self, do: Callable[["redis.Redis"], Answer]) -> Answer:
        """Return the answer of `do`, or raise RedisError."""
        try:
            return self._server.ask(lambda: do(self._client))
        except LeftAlone as error:
            raise RedisLeftAlone(str(error)) from error


@cache
def prompt_redis(url: str) -> PromptRedis:
    """Return this process's client of the Redis. It is shared, so that once it is unavailable for one caller, the
    others do not wait for it either.
    """
    return PromptRedis(url)


def single_try(url: str, timeout_s: float = SLOW_TIMEOUT_S) -> "redis.Redis":
    """Return a client that tries once. It detects closed idle connections before sending, so one try suffices."""
    return redis.Redis.from_url(
        url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, retry=Retry(NoBackoff(), 0)
    )
