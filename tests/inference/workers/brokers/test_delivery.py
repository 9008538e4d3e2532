"""Test what every broker promises about a message, with both servers and Dramatiq's stub."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from dramatiq import Message
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Retries, TimeLimit

from inference.workers.brokers import DelayRefused, QueueBroker, publish, queue_depth
from tests.inference.workers.brokers.conftest import NewQueue, OpenBroker, StartWorker
from tests.inference.workers.brokers.recorder import Recorder, eventually, publish_all


def test_published_message_is_run_and_leaves_nothing_behind(
    broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    worker = start(broker, queue)
    publish(broker, queue, {"page_id": "a"})
    assert recorder.wait_finished(1) == ["a"]
    worker.stop(timeout_s=2)
    assert queue_depth(broker, queue) == 0


def test_publisher_needs_no_actor_and_no_worker(url: str, queue: str, open_broker: OpenBroker) -> None:
    publisher = open_broker(url)
    publish_all(publisher, queue, "abc")
    assert eventually(lambda: queue_depth(publisher, queue) == 3)


def test_publishing_through_any_dramatiq_broker_names_the_page_actor() -> None:
    stub = StubBroker(middleware=[])
    publish(stub, "infer.m@1", {"page_id": "a"})
    message = Message.decode(stub.queues["infer.m@1"].get_nowait())
    assert (message.actor_name, message.kwargs) == ("run_page", {"page_id": "a"})


def test_one_queue_is_first_in_first_out(broker: QueueBroker, queue: str, start: StartWorker) -> None:
    recorder = Recorder(broker)
    pages = [f"{number:03}" for number in range(60)]
    publish_all(broker, queue, pages[:30])
    start(broker, queue, threads=1)
    publish_all(broker, queue, pages[30:])
    assert recorder.wait_finished(60) == pages


def test_what_is_to_come_first_is_run_like_any_other(broker: QueueBroker, queue: str, start: StartWorker) -> None:
    recorder = Recorder(broker)
    publish(broker, queue, {"page_id": "a"})
    publish(broker, queue, {"page_id": "b"}, first=True)
    start(broker, queue, threads=1)
    assert sorted(recorder.wait_finished(2)) == ["a", "b"]
    assert eventually(lambda: queue_depth(broker, queue) == 0)


def test_worker_takes_no_more_than_it_has_threads(broker: QueueBroker, queue: str, start: StartWorker) -> None:
    recorder = Recorder(broker)
    recorder.may_finish.clear()
    publish_all(broker, queue, "abcdef")
    start(broker, queue, threads=2)
    recorder.wait_started(2)
    assert queue_depth(broker, queue) == 4
    recorder.may_finish.set()
    assert recorder.wait_finished(6)


def test_failing_message_is_not_tried_again(broker: QueueBroker, queue: str, start: StartWorker) -> None:
    recorder = Recorder(broker)
    start(broker, queue, threads=1)
    publish(broker, queue, {"page_number": "not an argument of the actor"})
    publish(broker, queue, {"page_id": "b"})
    assert recorder.wait_finished(1) == ["b"]
    assert eventually(lambda: queue_depth(broker, queue) == 0)


def test_unreadable_and_misaddressed_messages_do_not_stop_a_queue(
    broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    start(broker, queue, threads=1)
    broker.deliver(queue, b"not a message")
    lost: Message[None] = Message("infer.other@1", "run_page", (), {"page_id": "x"}, {})
    broker.deliver(queue, lost.encode())
    publish(broker, queue, {"page_id": "b"})
    assert recorder.wait_finished(1) == ["b"]


def test_message_for_an_unknown_actor_does_not_come_back(broker: QueueBroker, queue: str, start: StartWorker) -> None:
    start(broker, queue)
    publish(broker, queue, {"page_id": "a"})
    assert eventually(lambda: queue_depth(broker, queue) == 0)
    Recorder(broker)
    publish(broker, queue, {"page_id": "b"})
    assert eventually(lambda: queue_depth(broker, queue) == 0)


def test_delay_is_refused(broker: QueueBroker, queue: str) -> None:
    message: Message[None] = Message(queue, "run_page", (), {}, {})
    with pytest.raises(DelayRefused) as refusal:
        broker.enqueue(message, delay=1000)
    assert refusal.value.code == "broker_delay_refused"


def test_many_threads_publish_at_once(broker: QueueBroker, queue: str) -> None:
    publish(broker, queue, {"page_id": "first"})

    def publish_ten() -> None:
        for _ in range(10):
            publish(broker, queue, {"page_id": "x"})

    with ThreadPoolExecutor(16) as pool:
        for _ in range(16):
            pool.submit(publish_ten)
    assert eventually(lambda: queue_depth(broker, queue) == 161)


def test_queues_that_are_only_known_cost_neither_threads_nor_connections(
    broker: QueueBroker, new_queue: NewQueue, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    used = [new_queue() for _ in range(3)]
    before = threading.active_count()
    start(broker, *used, threads=2)
    for number in range(200):
        broker.declare_queue(f"infer.declared-{number}@1")
    publish(broker, used[0], {"page_id": "a"})
    recorder.wait_finished(1)
    # Two threads run messages, and one thread consumes each queue. RabbitMQ's shared client may add one.
    assert threading.active_count() - before <= 2 + len(used) + 1
    assert not broker.get_declared_delay_queues()


def test_nothing_tries_again_drops_by_age_or_interrupts_behind_the_databases_back(
    broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    start(broker, queue)
    meddlers = {Retries, AgeLimit, TimeLimit}
    assert not meddlers.intersection(map(type, broker.middleware))
