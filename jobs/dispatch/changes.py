"""Says "something changed" to every web process. A hint only: the truth is the event log."""

import json
from uuid import UUID

import redis
import structlog
from django.conf import settings

from inference.prompt_redis import RedisLeftAlone, prompt_redis

log = structlog.get_logger(__name__)
CHANNEL = "maas:changes"


def announce(tenant_id: UUID, job_id: UUID, *, ended: bool = False) -> None:
    """Call after commit. A lost hint costs a reader at most its resync interval, so an error is only logged.

    `ended`: the job has reached its last state, which wakes those who wait for nothing else.
    """
    change = json.dumps({"tenant": str(tenant_id), "job": str(job_id), "ended": ended})
    try:
        prompt_redis(settings.MAAS_REDIS_URL).ask(lambda client: client.publish(CHANNEL, change))
    except RedisLeftAlone:
        pass
    except redis.RedisError as error:
        log.warning("change_not_announced", job_id=str(job_id), error=str(error))
