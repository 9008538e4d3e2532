"""The contract of every broker, for any server that carries the messages.

The database holds the truth; a message only says that there is work. The consequences are:

- Messages of one queue are handed out in the order in which they were published. The exceptions are messages
  that were given back and, on Redis, messages that were published with `first`.
- A message stays with the broker until it is acknowledged. If its worker dies, the message is delivered again:
  at once by RabbitMQ, within `ALIVE_S` by Redis. A server that loses its memory loses its messages.
- A message may be delivered twice. The worker that runs it must find out from the database whether there is work.
- A failed message is not retried here: its work is released again from the database.
- Nothing is delayed here: no delay queue is declared or consumed.
"""

from abc import abstractmethod
from collections.abc import Sequence

from dramatiq import Broker, Consumer, Message, Middleware

from inference.workers.brokers.errors import DelayRefused

FIRST = "first"
"""The option of a message that is to be handed out before the waiting messages."""
ALIVE_S = 30.0
"""Seconds of silence after which a Redis consumer counts as dead."""


class QueueConsumer(Consumer):
    """A consumer for one worker. Only the thread that iterates calls more than `ack`, `nack` and `requeue`."""

    @abstractmethod
    def idle(self, *, wait: bool) -> None:
        """Stay connected, give back the messages that were not handed out, and take nothing more.

        If `wait` is true, return at the consumer's timeout or when a message is acknowledged or given back. Otherwise
        return at once.
        """


class QueueBroker(Broker):
    """A Dramatiq broker with queues that come and go at run time, and without delays."""

    def __init__(self, middleware: Sequence[Middleware]) -> None:
        super().__init__(middleware=list(middleware))
        self.queues: set[str] = set()

    @abstractmethod
    def check(self) -> None:
        """Raise BrokerUnavailable or BrokerMisconfigured unless messages can be carried."""

    @abstractmethod
    def deliver(self, queue_name: str, body: bytes, *, first: bool = False) -> None:
        """Return once the server has the message; raise Dramatiq's BrokerConnectionError otherwise.

        If `first` is true and the server supports it, put the message before the waiting messages, but behind earlier
        messages that were put first.
        """

    @abstractmethod
    def count_waiting(self, queue_name: str) -> int:
        """Return the number of messages that no worker has taken."""

    def count_dead(self, queue_name: str) -> int:
        """Return the number of messages set aside for a person to look at, or 0 if the broker sets none aside."""
        return 0

    @abstractmethod
    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 1000) -> QueueConsumer: ...

    def declare_queue(self, queue_name: str) -> None:
        if queue_name not in self.queues:
            self.emit_before("declare_queue", queue_name)
            self.queues.add(queue_name)
            self.emit_after("declare_queue", queue_name)

    def enqueue(self, message: Message[None], *, delay: int | None = None) -> Message[None]:
        if delay is not None:
            raise DelayRefused(message.queue_name, delay)
        self.declare_queue(message.queue_name)
        self.emit_before("enqueue", message, delay)
        self.deliver(message.queue_name, message.encode(), first=bool(message.options.get(FIRST)))
        self.emit_after("enqueue", message, delay)
        return message

    def get_declared_queues(self) -> set[str]:
        return set(self.queues)
