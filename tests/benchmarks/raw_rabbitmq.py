"""Measures the least time of a notification through RabbitMQ: one message, one consumer, and no code of the product."""

import threading
import time
from uuid import uuid4

import pika

from inference.workers.brokers.rabbitmq_queues import queue_arguments
from tests.inference.workers.brokers.servers import AMQP_URL


def raw_wakes_ms(wakes: int, idle_s: float, *, quorum: bool) -> list[float]:
    queue = f"infer.raw-{uuid4().hex[:8]}"
    arguments = queue_arguments(queue) if quorum else {}
    with pika.BlockingConnection(pika.URLParameters(AMQP_URL)) as connection:
        channel = connection.channel()
        channel.queue_declare(queue, durable=True, arguments=arguments)
        channel.confirm_delivery()
        arrived: list[float] = []
        came = threading.Event()
        consumer = threading.Thread(target=_consume, args=[queue, wakes, arrived, came])
        consumer.start()
        try:
            return [_wake_ms(channel, queue, idle_s, arrived, came) for _ in range(wakes)]
        finally:
            consumer.join()
            channel.queue_delete(queue)


def _consume(queue: str, wakes: int, arrived: list[float], came: threading.Event) -> None:
    def take(channel: pika.channel.Channel, method: pika.spec.Basic.Deliver, _: object, __: bytes) -> None:
        arrived.append(time.perf_counter())
        channel.basic_ack(method.delivery_tag)
        came.set()

    with pika.BlockingConnection(pika.URLParameters(AMQP_URL)) as connection:
        channel = connection.channel()
        channel.basic_consume(queue, take)
        while len(arrived) < wakes:
            connection.process_data_events(time_limit=1)


def _wake_ms(
    channel: pika.adapters.blocking_connection.BlockingChannel,
    queue: str,
    idle_s: float,
    arrived: list[float],
    came: threading.Event,
) -> float:
    time.sleep(idle_s)
    came.clear()
    begun = time.perf_counter()
    channel.basic_publish("", queue, bytes(200), pika.BasicProperties(delivery_mode=2))
    if not came.wait(10):
        raise TimeoutError(f"no message through {queue}")
    return (arrived[-1] - begun) * 1000
