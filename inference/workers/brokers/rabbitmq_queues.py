"""How a queue and its dead-letter queue look on RabbitMQ 3.10 and later."""

from typing import Any

from pika.exceptions import ChannelClosedByBroker

_OF_OLDER_VERSIONS = "inequivalent arg 'x-dead-letter-strategy'"
DELIVERY_LIMIT = 5
"""A message that killed so many workers is set aside instead of killing the next."""

DEAD_TTL_MS = 7 * 24 * 3600 * 1000
DEAD_MAX_LENGTH = 1000
"""Dead letters are for a person to look at; the work itself is released again from the database."""


def dead_letter_name(queue_name: str) -> str:
    return f"{queue_name}.XQ"


def dead_letter_arguments() -> dict[str, Any]:
    return {"x-message-ttl": DEAD_TTL_MS, "x-max-length": DEAD_MAX_LENGTH}


def queue_arguments(queue_name: str) -> dict[str, Any]:
    return {
        "x-queue-type": "quorum",
        "x-delivery-limit": DELIVERY_LIMIT,
        # Dead letters are for a person, so one may get lost. With `x-dead-letter-strategy=at-least-once` RabbitMQ 3.10
        # refused messages to every queue of a node once one had been deleted in the second in which the node came up.
        "x-overflow": "reject-publish",
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": dead_letter_name(queue_name),
    }


def open_queue(connection: Any, queue_name: str) -> Any:
    """A channel of a blocking connection, with the queue declared on it.

    One that an older version of the product declared is made anew: it holds nothing but wakes, which come again.
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
    """Works on pika's blocking and callback channels alike; on the latter it does not wait for an answer."""
    dead_letters = dead_letter_name(queue_name)
    channel.queue_declare(queue=dead_letters, durable=True, arguments=dead_letter_arguments())
    channel.queue_declare(queue=queue_name, durable=True, arguments=queue_arguments(queue_name))
