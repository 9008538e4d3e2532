"""Compare how fast brokers notify an idle worker and how much they carry: stock Dramatiq on Redis, the product,
RabbitMQ.

Run from the repository's root: python -m tests.benchmarks.bench_brokers
"""

import resource
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

import dramatiq
import numpy as np
from dramatiq import Message, Worker
from dramatiq.brokers.redis import RedisBroker

from inference.workers.brokers import PAGE_ACTOR, QueueBroker, build_broker, start_worker
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.raw_rabbitmq import raw_wakes_ms
from tests.inference.workers.brokers.servers import (
    AMQP_URL,
    delete_rabbitmq_queues,
    rabbitmq_answers,
    redis_server,
)

THREADS = 8
WAKES = 200
IDLE_BETWEEN_S = 0.15
MESSAGES = 3000
PUBLISHERS = 8
IDLE_CPU_S = 3.0


@dataclass(frozen=True)
class Figures:
    wake_p50_ms: float
    wake_p99_ms: float
    publish_per_s: float
    drain_per_s: float
    idle_cpu_percent: float


@dataclass
class Arrivals:
    """The page actor of the benchmark, which records when each message starts."""

    started_at: list[float] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def run(self, page_id: str) -> None:
        with self.changed:
            self.started_at.append(time.perf_counter())
            self.changed.notify_all()

    def wait(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.started_at) >= count, 60)


def measure(broker: dramatiq.Broker, queue_name: str, start: Callable[[], Callable[[], None]]) -> Figures:
    arrivals = Arrivals()
    dramatiq.actor(actor_name=PAGE_ACTOR, broker=broker, queue_name=queue_name)(arrivals.run)
    stop = start()
    try:
        send(broker, queue_name)
        arrivals.wait(1)
        wakes_ms = [wake_ms(broker, queue_name, arrivals) for _ in range(WAKES)]
        idle_cpu = idle_cpu_percent()
    finally:
        stop()
    published_s = publish_many(broker, queue_name)
    begun, before = time.perf_counter(), len(arrivals.started_at)
    stop = start()
    try:
        arrivals.wait(before + MESSAGES)
    finally:
        stop()
    drained_s = arrivals.started_at[-1] - begun
    return Figures(
        wake_p50_ms=float(np.percentile(wakes_ms, 50)),
        wake_p99_ms=float(np.percentile(wakes_ms, 99)),
        publish_per_s=MESSAGES / published_s,
        drain_per_s=MESSAGES / drained_s,
        idle_cpu_percent=idle_cpu,
    )


def send(broker: dramatiq.Broker, queue_name: str) -> None:
    message: Message[None] = Message(queue_name, PAGE_ACTOR, (), {"page_id": "p"}, {})
    broker.enqueue(message)


def wake_ms(broker: dramatiq.Broker, queue_name: str, arrivals: Arrivals) -> float:
    time.sleep(IDLE_BETWEEN_S)
    count, begun = len(arrivals.started_at), time.perf_counter()
    send(broker, queue_name)
    arrivals.wait(count + 1)
    return (arrivals.started_at[count] - begun) * 1000


def publish_many(broker: dramatiq.Broker, queue_name: str) -> float:
    def publish_share() -> None:
        for _ in range(MESSAGES // PUBLISHERS):
            send(broker, queue_name)

    threads = [threading.Thread(target=publish_share) for _ in range(PUBLISHERS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


def idle_cpu_percent() -> float:
    def cpu_s() -> float:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    begun = cpu_s()
    time.sleep(IDLE_CPU_S)
    return (cpu_s() - begun) / IDLE_CPU_S * 100


def measure_stock(url: str) -> Figures:
    queue_name = f"bench-{uuid4().hex[:8]}"
    broker = RedisBroker(url=url, middleware=[])  # type: ignore[no-untyped-call]

    def start() -> Callable[[], None]:
        worker = Worker(broker, worker_threads=THREADS)
        worker.start()
        return lambda: worker.stop(timeout=2000)

    return measure(broker, queue_name, start)


def measure_ours(url: str) -> Figures:
    queue_name = f"infer.bench-{uuid4().hex[:8]}"
    broker: QueueBroker = build_broker(url)

    def start() -> Callable[[], None]:
        worker = start_worker(broker, threads=THREADS, queues=[queue_name])
        return lambda: worker.stop(timeout_s=2)

    try:
        return measure(broker, queue_name, start)
    finally:
        broker.close()
        if url.startswith("amqp"):
            delete_rabbitmq_queues(queue_name)


def print_table(rows: dict[str, Figures]) -> None:
    print(circumstances())
    print(f"{THREADS} worker threads, {PUBLISHERS} publishing threads, {MESSAGES} messages, {WAKES} wakes\n")
    print("| broker | idle wake p50 ms | p99 ms | published/s | drained/s | idle CPU % |")
    print("|---|--|--|--|--|--|")
    stock = next(iter(rows.values()))
    for name, row in rows.items():
        print(
            f"| {name} | {row.wake_p50_ms:.1f} (x{stock.wake_p50_ms / row.wake_p50_ms:.0f} faster)"
            f" | {row.wake_p99_ms:.1f} (x{stock.wake_p99_ms / row.wake_p99_ms:.0f})"
            f" | {row.publish_per_s:.0f} (x{row.publish_per_s / stock.publish_per_s:.2f})"
            f" | {row.drain_per_s:.0f} (x{row.drain_per_s / stock.drain_per_s:.2f})"
            f" | {row.idle_cpu_percent:.1f} |"
        )


def print_floors() -> None:
    """Print the time that the server itself needs. A quorum queue delivers a message only when it is on disk."""
    print("\n| one message from pika to pika | idle wake p50 ms | p99 ms |")
    print("|---|--|--|")
    for name, quorum in (("quorum queue, confirmed", True), ("classic durable queue, confirmed", False)):
        wakes_ms = raw_wakes_ms(WAKES, IDLE_BETWEEN_S, quorum=quorum)
        print(f"| {name} | {np.percentile(wakes_ms, 50):.1f} | {np.percentile(wakes_ms, 99):.1f} |")


def main() -> None:
    with redis_server("--appendonly", "yes", "--appendfsync", "everysec") as url:
        rows = {"Redis, stock Dramatiq": measure_stock(url), "Redis, ours": measure_ours(url)}
    if rabbitmq_answers():
        rows["RabbitMQ, ours (quorum, confirmed)"] = measure_ours(AMQP_URL)
    else:
        print(f"no RabbitMQ at {AMQP_URL}", file=sys.stderr)
    print_table(rows)
    if rabbitmq_answers():
        print_floors()


if __name__ == "__main__":
    main()
