"""One RabbitMQ connection per process, which publishes for all its threads and waits for confirms.

Dramatiq keeps a connection for every thread that ever published and never closes it, which does not suit a web server
that starts many threads. Pika's blocking channel waits for each confirm before it sends the next message, and waits
forever if the server hangs. In this module one thread owns the connection and sends the requests of all other threads.
Each of those threads waits for its own confirm, for a bounded time.
"""

from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar

import pika

from inference.workers.brokers.errors import ConnectionLost
from inference.workers.brokers.rabbitmq_queues import (
    dead_letter_arguments,
    dead_letter_name,
    declare,
    queue_arguments,
)

CONFIRM_TIMEOUT_S = 4.0

MAX_ATTEMPTS = 5
"""The most attempts to publish one message. A quorum queue refuses messages while it has no leader."""
AGAIN_AFTER_S = 0.5
"""Seconds to wait before a queue is declared and its message sent again.

If a deleted queue is declared again at once, RabbitMQ 3.10 fails to notify a consumer of the deletion and keeps
delivering to that consumer in vain.
"""

Answer = TypeVar("Answer")


@dataclass(eq=False, slots=True)
class _Publication:
    queue_name: str
    body: bytes
    done: "Future[None]" = field(default_factory=Future)
    returned: bool = False
    attempts: int = 0


@dataclass(eq=False, slots=True)
class _Count:
    queue_name: str
    arguments: dict[str, Any]
    done: "Future[int]" = field(default_factory=Future)


class RabbitmqClient:
    """A client that connects at its first request, and again after a connection was lost."""

    def __init__(self, parameters: Any, *, timeout_s: float = CONFIRM_TIMEOUT_S) -> None:
        self._parameters = parameters
        self._timeout_s = timeout_s
        self._lock = Lock()
        self._session: _Session | None = None

    def publish(self, queue_name: str, body: bytes) -> None:
        """Return when the broker has confirmed; raise ConnectionLost if it refused or did not answer."""
        publication = _Publication(queue_name, body)
        self._submit(publication)
        self._wait(publication.done)

    def count_waiting(self, queue_name: str) -> int:
        return self._count(_Count(queue_name, queue_arguments(queue_name)))

    def count_dead(self, queue_name: str) -> int:
        return self._count(_Count(dead_letter_name(queue_name), dead_letter_arguments()))

    def close(self) -> None:
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _count(self, count: _Count) -> int:
        self._submit(count)
        return self._wait(count.done)

    def _submit(self, request: _Publication | _Count) -> None:
        with self._lock:
            if self._session is not None and self._session.submit(request):
                return
            self._session = _Session(self._parameters)
            self._session.submit(request)
            self._session.start()

    def _wait(self, done: "Future[Answer]") -> Answer:
        try:
            return done.result(self._timeout_s)
        except FutureTimeoutError:
            done.cancel()
            raise ConnectionLost(f"RabbitMQ did not answer within {self._timeout_s:g} s.") from None


class _Session(Thread):
    """One connection from start to end. Everything except `submit` and `close` runs in its own thread."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(name="rabbitmq-client", daemon=True)
        self._lock = Lock()
        self._over = False
        self._reason: BaseException | str | None = None
        self._waiting: deque[_Publication | _Count] = deque()
        self._unconfirmed: dict[int, _Publication] = {}
        self._counting: set[_Count] = set()
        self._declared: set[str] = set()
        self._last_tag = 0
        self._channel: Any = None
        self._counter: Any = None
        self._ready = False
        self._connection = pika.SelectConnection(
            parameters,
            on_open_callback=self._open_channels,
            on_open_error_callback=self._connection_ended,
            on_close_callback=self._connection_ended,
        )

    def submit(self, request: _Publication | _Count) -> bool:
        """Queue a request; return False if this connection has ended and cannot take it."""
        with self._lock:
            if self._over:
                return False
            self._waiting.append(request)
            self._connection.ioloop.add_callback_threadsafe(self._send_waiting)
            return True

    def close(self) -> None:
        with self._lock:
            if self._over:
                return
            self._connection.ioloop.add_callback_threadsafe(self._close_connection)
        self.join(timeout=CONFIRM_TIMEOUT_S)

    def run(self) -> None:
        try:
            self._connection.ioloop.start()
        finally:
            self._fail_all()
            self._connection.ioloop.close()

    def _open_channels(self, connection: Any) -> None:
        connection.channel(on_open_callback=self._open_counter)

    def _open_counter(self, channel: Any) -> None:
        self._channel = channel
        channel.add_on_close_callback(self._channel_closed)
        channel.add_on_return_callback(self._returned)
        # A declaration that waits for an answer would hold back other declarations, so it has a channel of its own.
        self._connection.channel(on_open_callback=self._start_confirming)

    def _start_confirming(self, counter: Any) -> None:
        self._counter = counter
        counter.add_on_close_callback(self._channel_closed)
        self._channel.confirm_delivery(self._confirmed, callback=self._become_ready)

    def _become_ready(self, _frame: Any) -> None:
        self._ready = True
        self._send_waiting()

    def _send_waiting(self) -> None:
        if not self._ready or not self._connection.is_open:
            return
        while self._waiting:
            request = self._waiting.popleft()
            if not request.done.set_running_or_notify_cancel():
                continue
            if isinstance(request, _Publication):
                self._send(request)
            else:
                self._ask(request)

    def _send(self, publication: _Publication) -> None:
        if publication.queue_name not in self._declared:
            declare(self._channel, publication.queue_name)
            self._declared.add(publication.queue_name)
        self._last_tag += 1
        publication.attempts += 1
        publication.returned = False
        self._unconfirmed[self._last_tag] = publication
        self._channel.basic_publish(
            exchange="",
            routing_key=publication.queue_name,
            body=publication.body,
            properties=pika.BasicProperties(delivery_mode=2, correlation_id=str(self._last_tag)),
            mandatory=True,
        )

    def _ask(self, count: _Count) -> None:
        self._counting.add(count)

        def answer(frame: Any) -> None:
            self._counting.discard(count)
            count.done.set_result(frame.method.message_count)

        self._counter.queue_declare(
            queue=count.queue_name,
            durable=True,
            arguments=count.arguments,
            callback=answer,
        )

    def _returned(self, _channel: Any, _method: Any, properties: Any, _body: bytes) -> None:
        """Mark a returned message, whose queue has been deleted. The confirm for this message follows."""
        publication = self._unconfirmed.get(int(properties.correlation_id))
        if publication is not None:
            publication.returned = True

    def _confirmed(self, frame: Any) -> None:
        method = frame.method
        tags = [method.delivery_tag]
        if method.multiple:
            tags = [tag for tag in self._unconfirmed if tag <= method.delivery_tag]
        accepted = isinstance(method, pika.spec.Basic.Ack)
        for tag in tags:
            publication = self._unconfirmed.pop(tag, None)
            if publication is not None:
                self._settle(publication, accepted=accepted)

    def _settle(self, publication: _Publication, *, accepted: bool) -> None:
        if accepted and not publication.returned:
            publication.done.set_result(None)
        elif publication.attempts < MAX_ATTEMPTS:
            self._connection.ioloop.call_later(AGAIN_AFTER_S, partial(self._send_again, publication))
        else:
            publication.done.set_exception(ConnectionLost("RabbitMQ refused the message."))

    def _send_again(self, publication: _Publication) -> None:
        """Send the message again, unless its caller has stopped waiting and reported the failure."""
        if self._connection.is_open and not publication.done.done():
            self._declared.discard(publication.queue_name)
            self._send(publication)

    def _channel_closed(self, _channel: Any, reason: BaseException) -> None:
        self._reason = self._reason or reason
        self._close_connection()

    def _connection_ended(self, _connection: Any, reason: BaseException | str) -> None:
        self._reason = self._reason or reason
        self._connection.ioloop.stop()

    def _close_connection(self) -> None:
        if self._connection.is_open:
            self._connection.close()
        elif not self._connection.is_closing:
            self._connection.ioloop.stop()

    def _fail_all(self) -> None:
        with self._lock:
            self._over = True
        lost = ConnectionLost(describe(self._reason or "connection lost"))
        for request in self._waiting:
            if request.done.set_running_or_notify_cancel():
                request.done.set_exception(lost)
        for publication in self._unconfirmed.values():
            publication.done.set_exception(lost)
        for count in self._counting:
            count.done.set_exception(lost)


def describe(cause: BaseException | str) -> str:
    """Describe a cause by its type and text, because pika's connection errors often have no text of their own."""
    return cause if isinstance(cause, str) else f"{type(cause).__name__}: {cause}"
