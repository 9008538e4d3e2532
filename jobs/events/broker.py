"""This process's connection to the broker, for those who only publish.

A broker that hangs may hold up nobody: whoever releases work on the way of a request, or at the end of a page, waits
for a moment, and while the broker is away only one in a second or two tries it. What was not published is woken again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TypeVar
from uuid import UUID

from django.conf import settings

from inference.core.asked_server import AskedServer, LeftAlone
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
_patience_s: ContextVar[float | None] = ContextVar("broker_patience_s", default=HURRY_S)


@cache
def publishing_broker(patience_s: float | None = HURRY_S) -> QueueBroker:
    return build_broker(settings.MAAS_BROKER_URL, patience_s=patience_s)


@cache
def broker_server() -> AskedServer:
    return AskedServer(BrokerUnavailable)


@contextmanager
def patiently() -> Iterator[None]:
    """For duties that hold up nobody: with the broker's own patience of some seconds."""
    token = _patience_s.set(None)
    try:
        yield
    finally:
        _patience_s.reset(token)


def publish_page(queue_name: str, *, tenant_id: UUID, page_id: UUID, first: bool = False) -> None:
    """Ids only: what to do is in the database, where it can neither be forged nor go stale."""
    ids = {"tenant_id": str(tenant_id), "page_id": str(page_id)}
    _ask(lambda broker: publish(broker, queue_name, ids, first=first))


def pages_waiting(queue_name: str) -> int:
    """Messages that no worker has fetched yet, repeats included."""
    return _ask(lambda broker: queue_depth(broker, queue_name))


def messages_set_aside(queue_name: str) -> int:
    return _ask(lambda broker: dead_letters(broker, queue_name))


def _ask(do: Callable[[QueueBroker], Answer]) -> Answer:
    """Raises BrokerUnavailable, at once where another has just waited for it in vain."""
    try:
        return broker_server().ask(lambda: do(publishing_broker(_patience_s.get())))
    except LeftAlone as error:
        raise BrokerUnavailable(f"The broker was not asked: {error}") from error
