"""A Dramatiq worker whose queues are chosen at run time.

Dramatiq's own worker subscribes to every queue that anything in the process declares, starts a second thread and a
second connection for a delay queue beside each of them, and never leaves a queue. This worker consumes exactly the
queues that `set_queues` names.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, PriorityQueue
from threading import Event, Lock, RLock
from typing import Any, cast

import dramatiq
from dramatiq import MessageProxy
from dramatiq.errors import BrokerConnectionError
from dramatiq.worker import ConsumerThread

from inference.workers.brokers.contract import QueueBroker, QueueConsumer
from inference.workers.brokers.turn_queue import TurnQueue

RECONNECT_S = 1.0


class QueueWorker:
    """A worker that runs the messages of the chosen queues. `start_worker` creates it."""

    def __init__(self, broker: QueueBroker, *, threads: int, prefetch: int, idle_s: float) -> None:
        self._broker = broker
        self._lock = Lock()
        self._stopping = False
        self._pool = _ThreadPool(broker, worker_threads=threads, worker_timeout=round(idle_s * 1000))
        self._pool.queue_prefetch = prefetch
        self._work = self._pool.work_queue = TurnQueue()

    def start(self) -> None:
        self._pool.start()

    def set_queues(self, queue_names: Iterable[str]) -> None:
        """Consume these queues and no others.

        Returns without waiting for running messages. After that, no message of a queue that was left is started:
        messages not yet started are given back, and running messages are finished.
        """
        with self._lock:
            if self._stopping:
                return
            wanted = frozenset(queue_names)
            for queue_name in wanted:
                self._broker.declare_queue(queue_name)
                self._consume(queue_name)
            self._leave([thread for name, thread in self._consumers.items() if name not in wanted])

    def stop(self, timeout_s: float) -> None:
        """Give back the messages that have not started, wait up to `timeout_s` for the others, and close."""
        with self._lock:
            self._stopping = True
            self._leave(list(self._consumers.values()))
        self._pool.stop(timeout=round(timeout_s * 1000))

    @property
    def _consumers(self) -> "dict[str, _QueueThread]":
        return cast("dict[str, _QueueThread]", self._pool.consumers)

    def _consume(self, queue_name: str) -> None:
        thread = self._consumers.get(queue_name)
        if thread is not None:
            thread.resume_intake()
            return
        thread = _QueueThread(
            on_finished=self._forget,
            broker=self._broker,
            queue_name=queue_name,
            prefetch=self._pool.queue_prefetch,
            work_queue=self._pool.work_queue,
            worker_timeout=self._pool.worker_timeout,
        )
        self._consumers[queue_name] = thread
        thread.start()

    def _leave(self, threads: "list[_QueueThread]") -> None:
        for thread in threads:
            thread.stop_intake()
        unstarted: dict[str, list[MessageProxy]] = {thread.queue_name: [] for thread in threads}
        kept = []
        for item in _drain(self._pool.work_queue):
            if item.message.queue_name in unstarted:
                unstarted[item.message.queue_name].append(item.message)
            else:
                kept.append(item)
            self._pool.work_queue.task_done()
        for item in kept:
            self._pool.work_queue.put(item)
        self._work.forget(set(unstarted))
        for thread in threads:
            thread.give_back(unstarted[thread.queue_name])

    def _forget(self, thread: "_QueueThread") -> bool:
        """Remove a consumer that has nothing left to do and calls this. Return False if its queue is wanted again."""
        with self._lock:
            if not thread.intake_stopped:
                return False
            # Dramatiq iterates over its consumers while it stops, so they are not removed then.
            if not self._stopping:
                del self._consumers[thread.queue_name]
            return True


def start_worker(
    broker: QueueBroker,
    *,
    threads: int,
    queues: Iterable[str] = (),
    prefetch: int | None = None,
    idle_s: float = 1.0,
) -> QueueWorker:
    """Start threads that run the broker's actors; refuse a broker that is down or would lose messages.

    One thread holds one message, and `prefetch` bounds the number of running messages of one queue, so both should be
    the size of the largest batch. `idle_s` is how long an idle thread sleeps before it checks whether it should stop.
    """
    broker.check()
    worker = QueueWorker(broker, threads=threads, prefetch=prefetch or threads, idle_s=idle_s)
    worker.start()
    worker.set_queues(queues)
    return worker


def _drain(queue: "PriorityQueue[Any]") -> Iterator[Any]:
    """Yield the queue's items, the oldest first."""
    with suppress(Empty):
        while True:
            yield queue.get_nowait()


class _ThreadPool(dramatiq.Worker):
    def _add_consumer(self, queue_name: str, *, delay: bool = False) -> None:
        """Subscribe to nothing when a queue is declared."""


class _QueueThread(ConsumerThread):
    """A thread that feeds one queue's messages to the pool until its intake is stopped and its last message is done."""

    def __init__(self, *, on_finished: "Callable[[_QueueThread], bool]", **dramatiq_options: Any) -> None:
        super().__init__(**dramatiq_options)
        self.name = f"consumer-{self.queue_name}"
        self._on_finished = on_finished
        self._intake = RLock()
        self._unfinished = 0
        self._stopped = Event()
        self.intake_stopped = False

    def stop_intake(self) -> None:
        """Stop the intake. After the return, no more messages of this queue reach the pool's threads."""
        with self._intake:
            self.intake_stopped = True

    def resume_intake(self) -> None:
        with self._intake:
            self.intake_stopped = False

    def stop(self) -> None:
        super().stop()
        self._stopped.set()

    def run(self) -> None:
        self.broker.emit_after("consumer_thread_boot", self)
        self.running = not self._stopped.is_set()
        while self.running:
            try:
                self._connect_and_pump()
            except BrokerConnectionError as error:
                self.logger.warning("Lost the broker, connecting again in %g s: %s", RECONNECT_S, error)
                self._close_and_wait()
            except Exception:
                self.logger.exception("Consumer failed, starting it again in %g s.", RECONNECT_S)
                self._close_and_wait()
        self.broker.emit_before("consumer_thread_shutdown", self)

    def handle_message(self, message: MessageProxy) -> None:
        if message.queue_name != self.queue_name:
            # The pool would look for the consumer of the queue that the message names, and a thread would die of it.
            self.logger.error("Refused a message that names queue %r.", message.queue_name)
            cast("QueueConsumer", self.consumer).nack(message)
            return
        with self._intake:
            self._unfinished += 1
            if not self.intake_stopped:
                super().handle_message(message)
                return
        self.give_back([message])

    def post_process_message(self, message: MessageProxy) -> None:
        try:
            super().post_process_message(message)
        finally:
            self._finished(1)

    def give_back(self, messages: list[MessageProxy]) -> None:
        if not messages:
            return
        try:
            self.requeue_messages(messages)
        except BrokerConnectionError as error:
            self.logger.warning("Messages return only when their consumer expires: %s", error)
        finally:
            self._finished(len(messages))

    def _finished(self, count: int) -> None:
        with self._intake:
            self._unfinished -= count

    def _connect_and_pump(self) -> None:
        consumer = cast("QueueConsumer", self.broker.consume(self.queue_name, self.prefetch, self.worker_timeout))
        self.consumer = consumer
        while self.running:
            if not self.intake_stopped:
                message = next(consumer)
                if message is not None:
                    self.handle_message(message)
                continue
            consumer.idle(wait=self._unfinished > 0)
            if self._unfinished == 0 and self._on_finished(self):
                self.running = False
                self.close()

    def _close_and_wait(self) -> None:
        self.close()
        if self.running:
            self._stopped.wait(RECONNECT_S)
