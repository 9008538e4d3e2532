"""A broker on RabbitMQ: quorum queues, confirmed publishing, and consumers that come and go at run time."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pika
from dramatiq import Message, MessageProxy, Middleware
from dramatiq.errors import DecodeError
from pika.exceptions import AMQPError

from inference.workers.brokers.contract import QueueBroker, QueueConsumer
from inference.workers.brokers.errors import BrokerMisconfigured, BrokerUnavailable, ConnectionLost
from inference.workers.brokers.rabbitmq_client import CONFIRM_TIMEOUT_S, RabbitmqClient, describe
from inference.workers.brokers.rabbitmq_queues import open_queue

CONNECTION_DEFAULTS = {
    "heartbeat": 30,
    "socket_timeout": 2.0,
    "stack_timeout": 3.0,
    # A server that is out of memory stops reading, and messages sent to it must not pile up in this process.
    "blocked_connection_timeout": 10.0,
}
"""Timeouts in seconds. The query of the URL can replace each of them."""


def connection_parameters(url: str) -> Any:
    try:
        parameters = pika.URLParameters(url)
    except ValueError as error:
        raise BrokerMisconfigured(f"MAAS_BROKER_URL is not a RabbitMQ URL: {error}") from error
    given = parse_qs(urlsplit(url).query)
    for name, value in CONNECTION_DEFAULTS.items():
        if name not in given:
            setattr(parameters, name, value)
    return parameters


@contextmanager
def _as_connection_lost() -> Iterator[None]:
    # Pika sometimes reports a connection that breaks while it is in use as an AssertionError.
    try:
        yield
    except (AMQPError, AssertionError, OSError) as error:
        raise ConnectionLost(describe(error)) from error


class RabbitmqQueueBroker(QueueBroker):
    """A broker that publishes over one shared connection. Each consumed queue has a connection of its own."""

    def __init__(self, url: str, *, middleware: Sequence[Middleware], timeout_s: float | None = None) -> None:
        super().__init__(middleware)
        self.parameters = connection_parameters(url)
        self._client = RabbitmqClient(self.parameters, timeout_s=timeout_s or CONFIRM_TIMEOUT_S)

    def check(self) -> None:
        try:
            pika.BlockingConnection(self.parameters).close()
        except (AMQPError, OSError) as error:
            raise BrokerUnavailable(f"RabbitMQ does not answer: {describe(error)}") from error

    def deliver(self, queue_name: str, body: bytes, *, first: bool = False) -> None:
        """Publish the message. `first` has no effect, because a quorum queue always keeps its order."""
        self._client.publish(queue_name, body)

    def count_waiting(self, queue_name: str) -> int:
        return self._client.count_waiting(queue_name)

    def count_dead(self, queue_name: str) -> int:
        return self._client.count_dead(queue_name)

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 1000) -> "RabbitmqQueueConsumer":
        return RabbitmqQueueConsumer(self, queue_name, prefetch, timeout / 1000)

    def close(self) -> None:
        self._client.close()


class DeliveredMessage(MessageProxy):
    """A message that remembers its consumer, since its tag means nothing on the next connection."""

    def __init__(self, message: Message[None], tag: int, consumer: "RabbitmqQueueConsumer") -> None:
        super().__init__(message)
        self.tag = tag
        self.consumer = consumer


class RabbitmqQueueConsumer(QueueConsumer):
    """A consumer that owns one connection. Other threads reach it only through its thread-safe callbacks."""

    def __init__(self, broker: RabbitmqQueueBroker, queue_name: str, prefetch: int, timeout_s: float) -> None:
        self._broker = broker
        self._queue_name = queue_name
        self._timeout_s = timeout_s
        self._arrived: deque[tuple[int, bytes]] = deque()
        self._subscription: str | None = None
        self._cancelled = False
        with _as_connection_lost():
            self._connection = pika.BlockingConnection(broker.parameters)
            self._channel = open_queue(self._connection, queue_name)
            self._channel.add_on_cancel_callback(self._on_cancelled)
            self._channel.basic_qos(prefetch_count=prefetch)

    def __next__(self) -> MessageProxy | None:
        with _as_connection_lost():
            if self._subscription is None:
                self._subscription = self._channel.basic_consume(self._queue_name, self._on_delivered)
            if not self._arrived:
                self._connection.process_data_events(time_limit=self._timeout_s)
        if self._cancelled:
            raise ConnectionLost(f"Queue {self._queue_name!r} was deleted.")
        return self._hand_out(*self._arrived.popleft()) if self._arrived else None

    def idle(self, *, wait: bool) -> None:
        with _as_connection_lost():
            if self._subscription is not None:
                self._channel.basic_cancel(self._subscription)
                self._subscription = None
            while self._arrived:
                self._channel.basic_nack(self._arrived.popleft()[0], requeue=True)
            self._connection.process_data_events(time_limit=self._timeout_s if wait else 0)

    def ack(self, message: MessageProxy) -> None:
        self._answer(message, self._channel.basic_ack)

    def nack(self, message: MessageProxy) -> None:
        self._answer(message, partial(self._channel.basic_nack, requeue=False))

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        # The queue puts each message back at its old position, so the order in which they are given back does not
        # matter.
        for message in messages:
            self._answer(message, partial(self._channel.basic_nack, requeue=True))

    def close(self) -> None:
        """Close the connection; the server then gives back all messages that have not been acknowledged."""
        try:
            with _as_connection_lost():
                answered: list[bool] = []
                self._connection.add_callback_threadsafe(lambda: answered.append(True))
                while not answered:
                    self._connection.process_data_events(time_limit=0)
        finally:
            with _as_connection_lost():
                if self._connection.is_open:
                    self._connection.close()

    def _answer(self, message: MessageProxy, answer: Any) -> None:
        delivered = cast("DeliveredMessage", message)
        if delivered.consumer is not self:
            # The message's connection is closed and the server has delivered the message again.
            return
        # A closed connection needs no answer either.
        with suppress(AMQPError):
            self._connection.add_callback_threadsafe(partial(answer, delivered.tag))

    def _on_delivered(self, _channel: Any, method: Any, _properties: Any, body: bytes) -> None:
        self._arrived.append((method.delivery_tag, body))

    def _on_cancelled(self, _frame: Any) -> None:
        self._cancelled = True

    def _hand_out(self, tag: int, body: bytes) -> MessageProxy | None:
        try:
            message: Message[None] = Message.decode(body)
        except DecodeError:
            self._broker.logger.exception("Set aside an unreadable message of queue %r.", self._queue_name)
            with _as_connection_lost():
                self._channel.basic_nack(tag, requeue=False)
            return None
        return DeliveredMessage(message, tag, self)
