"""Adapt Dramatiq's own stub broker to the product's contract, to test without a server what both servers must do."""

import threading
from collections.abc import Iterable

from dramatiq import MessageProxy
from dramatiq.brokers.stub import StubBroker
from dramatiq.errors import DecodeError

from inference.workers.brokers.contract import QueueBroker, QueueConsumer


class StubQueueBroker(QueueBroker):
    """A stub broker. Several may share one `server`, as processes share a real one."""

    def __init__(self, server: StubBroker) -> None:
        super().__init__(middleware=[])
        self.server = server

    def check(self) -> None:
        """Do nothing: the stub is always available."""

    def deliver(self, queue_name: str, body: bytes, *, first: bool = False) -> None:
        self.server.declare_queue(queue_name)
        self.server.queues[queue_name].put(body)

    def count_waiting(self, queue_name: str) -> int:
        self.server.declare_queue(queue_name)
        return int(self.server.queues[queue_name].qsize())

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 1000) -> "StubQueueConsumer":
        self.server.declare_queue(queue_name)
        return StubQueueConsumer(self.server, queue_name, prefetch, timeout)


class StubQueueConsumer(QueueConsumer):
    """A consumer that does what a server does besides: it gives back messages that were taken and not answered."""

    def __init__(self, server: StubBroker, queue_name: str, prefetch: int, timeout_ms: int) -> None:
        self._stub = server.consume(queue_name, prefetch, timeout_ms)
        self._queue = server.queues[queue_name]
        self._timeout_s = timeout_ms / 1000
        self._held: dict[str, MessageProxy] = {}
        self._changed = threading.Condition()

    def __next__(self) -> MessageProxy | None:
        try:
            message = next(self._stub)
        except DecodeError:
            self._queue.task_done()
            self._stub.prefetch_semaphore.release()  # type: ignore[attr-defined]  # the stub forgets to
            return None
        if message is not None:
            with self._changed:
                self._held[message.message_id] = message
        return message

    def idle(self, *, wait: bool) -> None:
        if wait:
            with self._changed:
                self._changed.wait(self._timeout_s)

    def ack(self, message: MessageProxy) -> None:
        if self._let_go(message):
            self._stub.ack(message)

    def nack(self, message: MessageProxy) -> None:
        if self._let_go(message):
            self._stub.nack(message)

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        for message in reversed(list(messages)):
            if self._let_go(message):
                self._stub.ack(message)
                with self._queue.not_empty:
                    self._queue.unfinished_tasks += 1
                    self._queue.queue.appendleft(message.encode())
                    self._queue.not_empty.notify()

    def close(self) -> None:
        self.requeue(list(self._held.values()))

    def _let_go(self, message: MessageProxy) -> bool:
        with self._changed:
            held = self._held.pop(message.message_id, None) is not None
            self._changed.notify_all()
            return held
