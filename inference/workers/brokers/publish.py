"""Send work to a queue and count its waiting messages, from processes that load no model."""

from collections.abc import Mapping

from dramatiq import Broker, Message
from dramatiq.errors import BrokerConnectionError

from inference.workers.brokers.contract import FIRST, QueueBroker
from inference.workers.brokers.errors import BrokerUnavailable

PAGE_ACTOR = "run_page"
"""The only actor of every model queue. Only workers register it."""


def publish(broker: Broker, queue_name: str, kwargs: Mapping[str, str], *, first: bool = False) -> None:
    """Return once the broker has the message, or raise BrokerUnavailable within a few seconds."""
    options = {FIRST: True} if first else {}
    message: Message[None] = Message(
        queue_name=queue_name, actor_name=PAGE_ACTOR, args=(), kwargs=dict(kwargs), options=options
    )
    try:
        broker.declare_queue(queue_name)
        broker.enqueue(message)
    except BrokerConnectionError as error:
        raise BrokerUnavailable(f"Queue {queue_name!r} took no message: {error}") from error


def dead_letters(broker: QueueBroker, queue_name: str) -> int:
    """Return the number of messages that killed their workers. Their pages are published again meanwhile."""
    try:
        return broker.count_dead(queue_name)
    except BrokerConnectionError as error:
        raise BrokerUnavailable(f"Dead letters of {queue_name!r} could not be counted: {error}") from error


def queue_depth(broker: QueueBroker, queue_name: str) -> int:
    """Return the number of messages that wait for a worker. Messages that a worker has already taken do not count."""
    try:
        return broker.count_waiting(queue_name)
    except BrokerConnectionError as error:
        raise BrokerUnavailable(f"Queue {queue_name!r} could not be counted: {error}") from error
