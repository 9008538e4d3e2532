"""Refuses to start on a Redis that may evict what it must keep: messages, uses and tickets."""

from typing import Any

import redis
import structlog
from django.conf import settings

from inference.core.prompt_redis import single_try
from maas.process.errors import LaunchError

log = structlog.get_logger(__name__)


class EvictingRedis(Exception):
    """A Redis that evicts keys. The message names its memory policy; the caller adds the server's variable."""

    def __init__(self, policy: str) -> None:
        super().__init__(f"evicts what it must keep: its maxmemory-policy is {policy}, not noeviction")


def check_policy(url: str, timeout_s: float = 2.0) -> None:
    """Check the memory policy of a Redis. Raises EvictingRedis, or RedisError if the server does not tell it."""
    with single_try(url, timeout_s) as client:
        memory: Any = client.info("memory")
    policy = memory.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        raise EvictingRedis(policy)


def refuse_evicting_servers() -> None:
    """Check that no Redis server evicts data that must be kept. Raises LaunchError. A server that does not respond is
    checked later, by `/readyz`.
    """
    urls = {"MAAS_REDIS_URL": settings.MAAS_REDIS_URL, "MAAS_BROKER_URL": settings.MAAS_BROKER_URL}
    for name, url in urls.items():
        if url.startswith("amqp"):
            continue
        try:
            check_policy(url)
        except EvictingRedis as error:
            raise LaunchError(
                f"The Redis of {name} {error}. Set maxmemory-policy to noeviction there, or name another server."
            ) from error
        except redis.RedisError as error:
            log.warning("redis_policy_not_read", setting=name, error=str(error))
