"""Run a worker process whose actor never returns, for a test to kill."""

import os
import sys
import threading

import dramatiq

from inference.workers.brokers import PAGE_ACTOR, build_broker, start_worker
from inference.workers.brokers.redis import RedisQueueBroker


def hang(page_id: str) -> None:
    # A single write is used, because two threads write at the same time.
    os.write(sys.stdout.fileno(), b"running\n")
    threading.Event().wait()


def main(url: str, queue_name: str, alive_s: str) -> None:
    broker = build_broker(url)
    if isinstance(broker, RedisQueueBroker):
        broker.alive_s = float(alive_s)
    dramatiq.actor(actor_name=PAGE_ACTOR, broker=broker)(hang)
    start_worker(broker, threads=2, queues=[queue_name])
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
