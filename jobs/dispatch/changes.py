"""Says "something changed" to every web process. A hint only: the truth is the event log."""

import json
from functools import cache
from uuid import UUID

import redis
import structlog
from django.conf import settings

log = structlog.get_logger(__name__)
CHANNEL = "maas:changes"


@cache
def _connection() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.MAAS_REDIS_URL, socket_timeout=2, socket_connect_timeout=2, health_check_interval=30
    )


def announce(tenant_id: UUID, job_id: UUID, *, ended: bool = False) -> None:
    """Call after commit. A lost hint costs a reader at most its resync interval, so an error is only logged.

    `ended`: the job has reached its last state, which wakes those who wait for nothing else.
    """
    change = {"tenant": str(tenant_id), "job": str(job_id), "ended": ended}
    try:
        _connection().publish(CHANNEL, json.dumps(change))
    except redis.RedisError as error:
        log.warning("change_not_announced", job_id=str(job_id), error=str(error))
