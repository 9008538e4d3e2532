"""Says "something changed" to every web process. A hint only: the truth is the event log."""

import json
from collections.abc import Mapping
from uuid import UUID

import redis
import structlog
from django.conf import settings

from inference.core.prompt_redis import RedisLeftAlone, prompt_redis
from tenants.audit.deeds import kind_of

log = structlog.get_logger(__name__)
CHANNEL = "maas:changes"
LETTING_IN = frozenset({"key", "member", "tenant", "impersonation"})
"""Kinds of deeds."""


def announce(tenant_id: UUID, job_id: UUID, *, ended: bool = False) -> None:
    """Call after commit. A lost hint costs a reader at most its resync interval, so an error is only logged.

    `ended`: the job has reached its last state, which wakes those who wait for nothing else.
    """
    _publish({"tenant": str(tenant_id), "job": str(job_id), "ended": ended}, job_id=str(job_id))


def announce_access(tenant_id: UUID, deed: str) -> None:
    """What let somebody in may be good no more: every web process looks at once. After commit, and a hint only."""
    if kind_of(deed) in LETTING_IN:
        _publish({"tenant": str(tenant_id), "access": True}, deed=deed)


def _publish(content: Mapping[str, object], **about: str) -> None:
    change = json.dumps(content)
    try:
        prompt_redis(settings.MAAS_REDIS_URL).ask(lambda client: client.publish(CHANNEL, change))
    except RedisLeftAlone:
        pass
    except redis.RedisError as error:
        log.warning("change_not_announced", **about, error=str(error))
