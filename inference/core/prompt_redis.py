"""The durable Redis for those that must not be held up by it: hints, words, and a look at who lives.

redis-py by itself tries ten times with pauses between, each try for as long as its timeout: a Redis that is stopped
would hold every thread that only wants to say a word for half a minute.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from inference.core.asked_server import AskedServer, LeftAlone

PATIENCE_S = 0.2
SLOW_PATIENCE_S = 2.0
Answer = TypeVar("Answer")


class RedisLeftAlone(redis.ConnectionError):
    """It has not answered a moment ago: no news, and nothing to log again."""


class PromptRedis:
    """One try of a fifth of a second; while Redis is away, of one thread in a second or two."""

    def __init__(self, url: str) -> None:
        self._client = single_try(url, PATIENCE_S)
        self._server = AskedServer(redis.ConnectionError, redis.TimeoutError)

    def ask(self, do: Callable[["redis.Redis"], Answer]) -> Answer:
        """Raises RedisError."""
        try:
            return self._server.ask(lambda: do(self._client))
        except LeftAlone as error:
            raise RedisLeftAlone(str(error)) from error


@cache
def prompt_redis(url: str) -> PromptRedis:
    """This process's, so that all who ask learn from each other that it is away."""
    return PromptRedis(url)


def single_try(url: str, patience_s: float = SLOW_PATIENCE_S) -> "redis.Redis":
    """A connection that was closed while it rested is seen before anything is said on it, and needs no second try."""
    return redis.Redis.from_url(
        url, socket_timeout=patience_s, socket_connect_timeout=patience_s, retry=Retry(NoBackoff(), 0)
    )
