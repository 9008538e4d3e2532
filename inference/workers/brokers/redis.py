"""A broker on Redis whose consumers block on the queue itself instead of polling it.

A queue is a list of encoded messages. Taking a message moves it (BLMOVE) to the consumer's own list. Acknowledging
removes it from that list. The next living consumer puts a dead consumer's list back. An idle worker therefore costs one
command per timeout and reacts at once, publishing is one command, and empty queues occupy no memory.
"""

import itertools
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition
from typing import cast
from uuid import uuid4

import redis
from dramatiq import Message, MessageProxy, Middleware
from dramatiq.errors import BrokerConnectionError, DecodeError
from redis.backoff import NoBackoff
from redis.retry import Retry

from inference.workers.brokers.contract import ALIVE_S, FIRST, QueueBroker, QueueConsumer
from inference.workers.brokers.errors import BrokerMisconfigured, BrokerUnavailable, ConnectionLost
from inference.workers.brokers.redis_scripts import BURY, GIVE_BACK, PUT_FIRST, TAKE

CONNECT_TIMEOUT_S = 1.0
REPLY_TIMEOUT_S = 2.0
"""The seconds to wait for a reply. `deliver` waits for up to two attempts of each timeout."""

BEATS_PER_LIFE = 3
_MARK_OF_FIRST = f'"{FIRST}":true'
"""The mark of a message published first, as it appears in the encoded message. The rest of it is ids."""


@contextmanager
def _as_connection_lost() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise ConnectionLost(error) from error


class RedisQueueBroker(QueueBroker):
    """A broker that publishes and acknowledges through one pool. Blocking consumers have another, without retries."""

    def __init__(
        self,
        url: str,
        *,
        middleware: Sequence[Middleware],
        timeout_s: float | None = None,
    ) -> None:
        """Build the broker. With `timeout_s`, commands outside of consumers get one attempt of this length."""
        super().__init__(middleware)
        self.namespace = "maas:broker"
        self.alive_s = ALIVE_S
        self.client = _connect(url, attempts=2 if timeout_s is None else 1, timeout_s=timeout_s)
        # If a BLMOVE were sent twice because its reply was lost, the first message would be stranded.
        self.blocking_client = _connect(url, attempts=1)
        self.take = self.blocking_client.register_script(TAKE)
        self.give_back = self.client.register_script(GIVE_BACK)
        self._bury = self.client.register_script(BURY)
        self._put_first = self.client.register_script(PUT_FIRST)

    def queue_key(self, queue_name: str) -> str:
        return f"{self.namespace}:queue:{queue_name}"

    def taken_key(self, consumer_id: str) -> str:
        return f"{self.namespace}:taken:{consumer_id}"

    def alive_key(self, consumer_id: str) -> str:
        return f"{self.namespace}:alive:{consumer_id}"

    @property
    def consumers_key(self) -> str:
        """The key of a hash from consumer id to queue name, for the consumers that may hold messages."""
        return f"{self.namespace}:consumers"

    def check(self) -> None:
        try:
            memory = self.client.info("memory")
        except redis.RedisError as error:
            raise BrokerUnavailable(f"The broker Redis does not answer: {error}") from error
        policy = memory.get("maxmemory_policy", "noeviction")
        if policy != "noeviction":
            raise BrokerMisconfigured(
                f"The broker Redis has maxmemory-policy {policy!r} and would evict queued messages when it is"
                " full: set maxmemory-policy to noeviction, or name another server in MAAS_BROKER_URL."
            )

    def deliver(self, queue_name: str, body: bytes, *, first: bool = False) -> None:
        key = self.queue_key(queue_name)
        with _as_connection_lost():
            if first:
                self._put_first(keys=[key], args=[body, _MARK_OF_FIRST])
            else:
                self.client.rpush(key, body)

    def count_waiting(self, queue_name: str) -> int:
        with _as_connection_lost():
            return self.client.llen(self.queue_key(queue_name))

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 1000) -> "RedisQueueConsumer":
        return RedisQueueConsumer(self, queue_name, prefetch, timeout / 1000)

    def flush(self, queue_name: str) -> None:
        with _as_connection_lost():
            self.client.delete(self.queue_key(queue_name))

    def close(self) -> None:
        self.client.close()
        self.blocking_client.close()

    def beat(self, consumer_id: str, queue_name: str) -> None:
        """Record that a consumer is alive. The server's clock decides for how long, never a client's clock."""
        with self.client.pipeline(transaction=True) as pipeline:
            pipeline.hset(self.consumers_key, consumer_id, queue_name)
            pipeline.set(self.alive_key(consumer_id), 1, px=round(self.alive_s * 1000))
            pipeline.execute()

    def bury_the_dead(self) -> None:
        """Put back the messages that silent consumers had taken, from any queue."""
        registered = cast("dict[bytes, bytes]", self.client.hgetall(self.consumers_key))
        ids = [consumer_id.decode() for consumer_id in registered]
        alive = self.client.mget([self.alive_key(consumer_id) for consumer_id in ids]) if ids else []
        for consumer_id, queue_name, sign in zip(ids, registered.values(), alive, strict=True):
            if sign is None:
                self.bury(consumer_id, queue_name.decode())

    def bury(self, consumer_id: str, queue_name: str) -> None:
        keys = [
            self.alive_key(consumer_id),
            self.taken_key(consumer_id),
            self.queue_key(queue_name),
            self.consumers_key,
        ]
        moved = cast("int", self._bury(keys=keys, args=[consumer_id]))
        if moved:
            self.logger.info("Put %d unfinished messages back on queue %r.", moved, queue_name)


def _connect(url: str, *, attempts: int, timeout_s: float | None = None) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        socket_connect_timeout=timeout_s or CONNECT_TIMEOUT_S,
        socket_timeout=timeout_s or REPLY_TIMEOUT_S,
        retry=Retry(NoBackoff(), attempts - 1),
        # The number of threads of the process bounds the connections; the pool's own bound of 100 would refuse the
        # 101st.
        max_connections=10_000,
    )


class TakenMessage(MessageProxy):
    """A message that remembers the list that holds its body, since its consumer may be replaced."""

    def __init__(self, message: Message[None], body: bytes, taken_key: str, ticket: int) -> None:
        super().__init__(message)
        self.body = body
        self.taken_key = taken_key
        self.ticket = ticket


class RedisQueueConsumer(QueueConsumer):
    """A consumer of one queue. Each connection has a new identity, so that lost messages are found again."""

    _tickets = itertools.count()

    def __init__(self, broker: RedisQueueBroker, queue_name: str, prefetch: int, timeout_s: float) -> None:
        self._id = uuid4().hex
        self._broker = broker
        self._queue_name = queue_name
        self._prefetch = prefetch
        # The reply has to arrive before the socket times out.
        self._timeout_s = min(timeout_s, REPLY_TIMEOUT_S / 2)
        self._arrived: deque[bytes] = deque()
        self._held: set[int] = set()
        self._changed = Condition()
        self._next_beat = 0.0
        self._flowing = False
        self._lost = False
        self._queue_key = broker.queue_key(queue_name)
        self._taken_key = broker.taken_key(self._id)

    def __next__(self) -> MessageProxy | None:
        if self._lost:
            raise ConnectionLost("an acknowledgement failed")
        with self._losing_connection():
            self._beat()
            if not self._arrived:
                self._arrived.extend(self._take())
            if not self._arrived:
                return None
            return self._hand_out(self._arrived.popleft())

    def idle(self, *, wait: bool) -> None:
        with self._losing_connection():
            self._beat()
            self._give_back(list(self._arrived))
            self._arrived.clear()
        if wait:
            with self._changed:
                self._changed.wait(self._timeout_s)

    def ack(self, message: MessageProxy) -> None:
        """Acknowledge a message, without ever raising: Dramatiq would block a thread of the pool."""
        taken = cast("TakenMessage", message)
        try:
            self._broker.client.lrem(taken.taken_key, 1, cast("str", taken.body))
        except redis.RedisError as error:
            self._broker.logger.warning("Could not acknowledge a message; it will be repeated: %s", error)
            # The next consumer has a new identity, so the messages that this consumer could not remove expire with it.
            self._lost = True
        self._let_go([taken])

    def nack(self, message: MessageProxy) -> None:
        """Acknowledge the message. No dead-letter queue is needed, since the database has all that counts."""
        self.ack(message)

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        taken = [cast("TakenMessage", message) for message in messages]
        try:
            with self._losing_connection():
                self._give_back([message.body for message in taken])
        finally:
            self._let_go(taken)

    def close(self) -> None:
        """Give everything back, unless the connection failed: running messages may still be acknowledged."""
        if self._lost:
            return
        with _as_connection_lost():
            self._broker.client.delete(self._broker.alive_key(self._id))
            self._broker.bury(self._id, self._queue_name)

    @contextmanager
    def _losing_connection(self) -> Iterator[None]:
        try:
            with _as_connection_lost():
                yield
        except BrokerConnectionError:
            self._lost = True
            raise

    def _beat(self) -> None:
        now = time.monotonic()
        if now >= self._next_beat:
            self._broker.beat(self._id, self._queue_name)
            self._broker.bury_the_dead()
            self._next_beat = now + self._broker.alive_s / BEATS_PER_LIFE

    def _take(self) -> list[bytes]:
        free = self._prefetch - len(self._held)
        if free <= 0:
            with self._changed:
                self._changed.wait_for(lambda: len(self._held) < self._prefetch, self._timeout_s)
            return []
        taken = self._take_many(free) if self._flowing else self._wait_for_one()
        self._flowing = bool(taken)
        return taken

    def _take_many(self, count: int) -> list[bytes]:
        return cast("list[bytes]", self._broker.take(keys=[self._queue_key, self._taken_key], args=[count]))

    def _wait_for_one(self) -> list[bytes]:
        body = self._broker.blocking_client.blmove(
            self._queue_key, self._taken_key, cast("int", self._timeout_s), "LEFT", "RIGHT"
        )
        return [cast("bytes", body)] if body is not None else []

    def _hand_out(self, body: bytes) -> MessageProxy | None:
        try:
            message: Message[None] = Message.decode(body)
        except DecodeError:
            self._broker.logger.exception("Dropped an unreadable message on queue %r.", self._queue_name)
            self._broker.client.lrem(self._taken_key, 1, cast("str", body))
            return None
        taken = TakenMessage(message, body, self._taken_key, next(self._tickets))
        self._held.add(taken.ticket)
        return taken

    def _give_back(self, bodies: list[bytes]) -> None:
        if bodies:
            self._broker.give_back(keys=[self._taken_key, self._queue_key], args=bodies)

    def _let_go(self, messages: Iterable[TakenMessage]) -> None:
        with self._changed:
            self._held.difference_update(message.ticket for message in messages)
            self._changed.notify_all()
