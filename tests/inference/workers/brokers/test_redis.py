"""Test what applies only to the Redis broker."""

import time

import pytest

from inference.workers.brokers import (
    BrokerMisconfigured,
    BrokerUnavailable,
    build_broker,
    publish,
    queue_depth,
    start_worker,
)
from inference.workers.brokers.redis import RedisQueueBroker
from tests.inference.workers.brokers.conftest import ALIVE_S, OpenBroker, StartWorker
from tests.inference.workers.brokers.recorder import Recorder, eventually, publish_all
from tests.inference.workers.brokers.servers import empty, redis_server


@pytest.fixture
def redis_broker(private_redis_url: str, open_broker: OpenBroker) -> RedisQueueBroker:
    empty(private_redis_url)
    broker = open_broker(private_redis_url)
    assert isinstance(broker, RedisQueueBroker)
    return broker


def test_server_that_evicts_is_refused_by_name(open_broker: OpenBroker) -> None:
    with redis_server("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru") as url:
        with pytest.raises(BrokerMisconfigured, match=r"allkeys-lru.*noeviction") as refusal:
            start_worker(open_broker(url), threads=1)
        assert refusal.value.code == "broker_misconfigured"


@pytest.mark.parametrize("url", ["http://localhost", "localhost:6379", ""])
def test_url_of_no_broker_is_refused(url: str) -> None:
    with pytest.raises(BrokerMisconfigured, match="use one of amqp, amqps, redis, rediss, unix"):
        build_broker(url)


def test_idle_worker_blocks_instead_of_polling(redis_broker: RedisQueueBroker, queue: str) -> None:
    redis_broker.alive_s = 30
    worker = start_worker(redis_broker, threads=8, queues=[queue])
    try:
        assert eventually(lambda: redis_broker.client.exists(redis_broker.consumers_key) == 1)
        redis_broker.client.config_resetstat()
        time.sleep(2)  # The measure itself: commands in two idle seconds.
        stats = redis_broker.client.info("commandstats")
    finally:
        worker.stop(timeout_s=2)
    assert sum(stat["calls"] for stat in stats.values()) <= 12


def test_dead_consumer_leaves_no_memory_behind_even_on_a_queue_nobody_consumes(
    redis_broker: RedisQueueBroker, queue: str, start: StartWorker
) -> None:
    dead = redis_broker.consume(queue, prefetch=8, timeout=100)
    publish_all(redis_broker, queue, "ab")
    assert next(dead) is not None
    assert next(dead) is not None
    start(redis_broker, "infer.another@1")
    assert eventually(lambda: queue_depth(redis_broker, queue) == 2)
    assert eventually(lambda: redis_broker.client.hlen(redis_broker.consumers_key) == 1)
    assert not list(redis_broker.client.scan_iter(f"{redis_broker.namespace}:taken:*"))


def test_messages_of_a_dead_consumer_return_to_the_front_in_order(
    redis_broker: RedisQueueBroker, queue: str, start: StartWorker
) -> None:
    dead = redis_broker.consume(queue, prefetch=3, timeout=100)
    publish_all(redis_broker, queue, "abcde")
    for _ in range(3):
        next(dead)
    recorder = Recorder(redis_broker)
    assert eventually(lambda: not list(redis_broker.client.scan_iter("*:alive:*")), within_s=ALIVE_S * 3)
    start(redis_broker, queue, threads=1)
    assert recorder.wait_finished(5) == list("abcde")


def test_one_that_is_to_come_first_is_handed_out_before_those_that_wait(
    redis_broker: RedisQueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(redis_broker)
    publish_all(redis_broker, queue, "abc")
    for page in "xy":
        publish(redis_broker, queue, {"page_id": page}, first=True)
    start(redis_broker, queue, threads=1)
    assert recorder.wait_finished(5) == list("xyabc")


def test_nothing_is_left_in_redis_when_the_last_worker_has_stopped(
    redis_broker: RedisQueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(redis_broker)
    worker = start(redis_broker, queue)
    publish_all(redis_broker, queue, "abcdef")
    recorder.wait_finished(6)
    worker.stop(timeout_s=2)
    assert redis_broker.client.dbsize() == 0


def test_silent_consumer_that_comes_back_is_registered_again(redis_broker: RedisQueueBroker, queue: str) -> None:
    consumer = redis_broker.consume(queue, prefetch=1, timeout=100)
    next(consumer)
    empty_registry = redis_broker.client.delete(redis_broker.consumers_key)
    assert empty_registry == 1

    def beats_again() -> bool:
        next(consumer)
        return redis_broker.client.hlen(redis_broker.consumers_key) == 1

    assert eventually(beats_again)
    consumer.close()


def test_full_server_refuses_a_message_with_its_reason(open_broker: OpenBroker, queue: str) -> None:
    # An empty server needs more than 100 kB.
    with (
        redis_server("--maxmemory", "100kb", "--maxmemory-policy", "noeviction") as url,
        pytest.raises(BrokerUnavailable, match="maxmemory"),
    ):
        publish(open_broker(url), queue, {"page_id": "a"})
