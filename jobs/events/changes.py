"""Notifies other processes of changes and cancellations. These are only hints: the database is the source of truth."""

import json
from collections.abc import Mapping
from functools import cache
from uuid import UUID

import redis
import structlog
from django.conf import settings

from inference.core.control import ControlChannel
from inference.core.prompt_redis import RedisLeftAlone, prompt_redis
from tenants.audit.actions import kind_of

log = structlog.get_logger(__name__)
CHANNEL = "maas:changes"
LETTING_IN = frozenset({"key", "member", "tenant", "impersonation"})
"""The kinds of actions that change access."""


def announce(tenant_id: UUID, job_id: UUID, *, ended: bool = False) -> None:
    """Announce a change after commit. It is only a hint. `ended` notifies readers that wait for nothing else."""
    _publish({"tenant": str(tenant_id), "job": str(job_id), "ended": ended}, job_id=str(job_id))


def announce_access(tenant_id: UUID, action: str) -> None:
    """Announce after commit that access may have ended, so that each web process checks. This is only a hint."""
    if kind_of(action) in LETTING_IN:
        _publish({"tenant": str(tenant_id), "access": True}, action=action)


def _publish(content: Mapping[str, object], **about: str) -> None:
    change = json.dumps(content)
    try:
        prompt_redis(settings.MAAS_REDIS_URL).ask(lambda client: client.publish(CHANNEL, change))
    except RedisLeftAlone:
        pass
    except redis.RedisError as error:
        log.warning("change_not_published", **about, error=str(error))


CANCEL = "cancel"


@cache
def control_channel() -> ControlChannel:
    return ControlChannel(settings.MAAS_REDIS_URL)


def notify_canceled(job_id: UUID) -> None:
    """Notify workers after commit. One that misses it finds out when it renews the lease of the page."""
    control_channel().tell(CANCEL, job=str(job_id))
