"""This process's connection for publishing pages. A broker that does not respond delays no request, because the timeout
is short. A page that could not be published is published again later.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TypeVar
from uuid import UUID

from django.conf import settings

from inference.core.monitored_server import LeftAlone, MonitoredServer
from inference.workers.brokers import (
    BrokerUnavailable,
    QueueBroker,
    build_broker,
    dead_letters,
    publish,
    queue_depth,
)

HURRY_S = 0.4
Answer = TypeVar("Answer")
_timeout_s: ContextVar[float | None] = ContextVar("broker_timeout_s", default=HURRY_S)


@cache
def publishing_broker(timeout_s: float | None = HURRY_S) -> QueueBroker:
    return build_broker(settings.MAAS_BROKER_URL, timeout_s=timeout_s)


@cache
def broker_server() -> MonitoredServer:
    return MonitoredServer(BrokerUnavailable)


@contextmanager
def with_long_timeout() -> Iterator[None]:
    """Use the broker's own timeout of some seconds in this context, for background tasks that no request waits for."""
    token = _timeout_s.set(None)
    try:
        yield
    finally:
        _timeout_s.reset(token)


def publish_page(
    queue_name: str, *, tenant_id: UUID, page_id: UUID, first: bool = False, pool: str | None = None
) -> None:
    """Publish the ids of a page, and its pool where tiers are in use. The work itself stays in the database, where
    it cannot be forged or outdated.
    """
    ids = {"tenant_id": str(tenant_id), "page_id": str(page_id), **({"pool": pool} if pool else {})}
    _ask(lambda broker: publish(broker, queue_name, ids, first=first))


def pages_waiting(queue_name: str) -> int:
    """Return the number of messages that no worker has fetched yet, repeats included."""
    return _ask(lambda broker: queue_depth(broker, queue_name))


def messages_set_aside(queue_name: str) -> int:
    return _ask(lambda broker: dead_letters(broker, queue_name))


def _ask(do: Callable[[QueueBroker], Answer]) -> Answer:
    """Send a request to the broker. Raises BrokerUnavailable, without waiting if another request has just timed out."""
    try:
        return broker_server().ask(lambda: do(publishing_broker(_timeout_s.get())))
    except LeftAlone as error:
        raise BrokerUnavailable(f"The broker was not asked: {error}") from error
