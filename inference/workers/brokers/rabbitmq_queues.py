"""Declarations of a queue and its dead-letter queue for RabbitMQ 3.10 and later."""

from typing import Any

from pika.exceptions import ChannelClosedByBroker

_OF_OLDER_VERSIONS = "inequivalent arg 'x-dead-letter-strategy'"
DELIVERY_LIMIT = 5
"""The number of workers that may die of a message, before it is set aside so that it kills no more of them."""

DEAD_TTL_MS = 7 * 24 * 3600 * 1000
DEAD_MAX_LENGTH = 1000
"""The most dead letters kept, for a person to look at. The work itself is released again from the database."""


def dead_letter_name(queue_name: str) -> str:
    return f"{queue_name}.XQ"


def dead_letter_arguments() -> dict[str, Any]:
    return {"x-message-ttl": DEAD_TTL_MS, "x-max-length": DEAD_MAX_LENGTH}


def queue_arguments(queue_name: str) -> dict[str, Any]:
    return {
        "x-queue-type": "quorum",
        "x-delivery-limit": DELIVERY_LIMIT,
        # Dead letters are only for a person to look at, so a lost one does no harm. If
        # `x-dead-letter-strategy=at-least-once` is set, RabbitMQ 3.10 can refuse messages to every queue of a node:
        # this happened when a queue was deleted in the second in which the node came up.
        "x-overflow": "reject-publish",
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": dead_letter_name(queue_name),
    }


def open_queue(connection: Any, queue_name: str) -> Any:
    """Return a channel of a blocking connection, with the queue declared on it.

    A queue that an older version of the product declared is deleted and declared anew. This loses nothing: its messages
    are only notifications, and they are sent again.
    """
    channel = connection.channel()
    try:
        declare(channel, queue_name)
    except ChannelClosedByBroker as error:
        if _OF_OLDER_VERSIONS not in error.reply_text:
            raise
        channel = connection.channel()
        channel.queue_delete(queue_name)
        declare(channel, queue_name)
    return channel


def declare(channel: Any, queue_name: str) -> None:
    """Declare both queues, on pika's blocking channels or, without a wait, on its callback channels."""
    dead_letters = dead_letter_name(queue_name)
    channel.queue_declare(queue=dead_letters, durable=True, arguments=dead_letter_arguments())
    channel.queue_declare(queue=queue_name, durable=True, arguments=queue_arguments(queue_name))
