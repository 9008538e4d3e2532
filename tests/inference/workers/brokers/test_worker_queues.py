"""Test that the queues of a worker can be changed while it runs."""

import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

from inference.workers.brokers import QueueBroker, publish, queue_depth
from tests.inference.workers.brokers.conftest import ALIVE_S, NewQueue, OpenBroker, StartWorker, on_servers
from tests.inference.workers.brokers.recorder import Recorder, eventually, publish_all

REPOSITORY = Path(__file__).resolve().parents[4]


def test_worker_gets_messages_of_its_own_queues_only(
    broker: QueueBroker, new_queue: NewQueue, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    mine, other = new_queue(), new_queue()
    start(broker, mine)
    publish(broker, other, {"page_id": "theirs"})
    publish(broker, mine, {"page_id": "mine"})
    assert recorder.wait_finished(1) == ["mine"]
    assert eventually(lambda: queue_depth(broker, other) == 1)


def test_worker_without_queues_gets_nothing(broker: QueueBroker, queue: str, start: StartWorker) -> None:
    recorder = Recorder(broker)
    start(broker)
    publish(broker, queue, {"page_id": "a"})
    assert eventually(lambda: queue_depth(broker, queue) == 1)
    assert recorder.started == []


def test_queue_is_added_at_run_time(broker: QueueBroker, queue: str, start: StartWorker) -> None:
    recorder = Recorder(broker)
    worker = start(broker)
    publish(broker, queue, {"page_id": "a"})
    worker.set_queues([queue])
    assert recorder.wait_finished(1) == ["a"]


def test_queue_that_was_left_is_not_consumed_until_it_is_taken_up_again(
    broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    worker = start(broker, queue)
    publish(broker, queue, {"page_id": "a"})
    recorder.wait_finished(1)
    worker.set_queues([])
    publish(broker, queue, {"page_id": "b"})
    assert eventually(lambda: queue_depth(broker, queue) == 1)
    assert recorder.started == ["a"]
    worker.set_queues([queue])
    assert recorder.wait_finished(2) == ["a", "b"]


def test_leaving_a_queue_gives_back_what_has_not_started_and_finishes_what_has(
    broker: QueueBroker, queue: str, start: StartWorker, url: str, open_broker: OpenBroker
) -> None:
    recorder = Recorder(broker)
    recorder.may_finish.clear()
    worker = start(broker, queue, threads=1)
    worker._pool.queue_prefetch = 1
    publish_all(broker, queue, "abc")
    recorder.wait_started(1)
    worker.set_queues([])
    second = open_broker(url)
    successor = Recorder(second)
    start(second, queue)
    assert sorted(successor.wait_finished(2)) == ["b", "c"]
    recorder.may_finish.set()
    assert recorder.wait_finished(1) == ["a"]
    assert eventually(lambda: not worker._pool.consumers)
    assert eventually(lambda: queue_depth(broker, queue) == 0)


def test_queue_taken_up_again_while_its_last_message_runs_is_consumed(
    broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    recorder.may_finish.clear()
    worker = start(broker, queue)
    publish(broker, queue, {"page_id": "a"})
    recorder.wait_started(1)
    worker.set_queues([])
    worker.set_queues([queue])
    recorder.may_finish.set()
    publish(broker, queue, {"page_id": "b"})
    assert sorted(recorder.wait_finished(2)) == ["a", "b"]


def test_queues_that_come_and_go_under_load_lose_nothing_and_run_nothing_twice(
    broker: QueueBroker, new_queue: NewQueue, start: StartWorker, url: str, open_broker: OpenBroker
) -> None:
    one, other = new_queue(), new_queue()
    second = open_broker(url)
    recorders = Recorder(broker), Recorder(second)
    movers = start(broker, one, other, threads=4), start(second, one, other, threads=4)
    pages = [f"{number:03}" for number in range(200)]

    def publish_all() -> None:
        for number, page in enumerate(pages):
            publish(broker, (one, other)[number % 2], {"page_id": page})

    publishing = threading.Thread(target=publish_all)
    publishing.start()
    # One of the two workers always has the queue. RabbitMQ sets a message aside that was given back five times.
    for queues in ([one], [other], [one, other]):
        movers[0].set_queues(queues)
        movers[1].set_queues({one, other} - set(queues) or {one, other})
        assert eventually(lambda: bool(recorders[0].finished or recorders[1].finished))
    publishing.join()

    def done() -> list[str]:
        return recorders[0].finished + recorders[1].finished

    assert eventually(lambda: len(done()) >= len(pages)), f"{len(done())} of {len(pages)}"
    assert Counter(done()) == Counter(pages)
    assert eventually(lambda: queue_depth(broker, one) == queue_depth(broker, other) == 0)


def test_stopping_finishes_running_messages_and_gives_back_the_others(
    broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    recorder.may_finish.clear()
    worker = start(broker, queue, threads=1)
    publish_all(broker, queue, "abc")
    recorder.wait_started(1)
    recorder.may_finish.set()
    worker.stop(timeout_s=5)
    done = len(recorder.finished)
    assert recorder.finished == recorder.started
    assert eventually(lambda: queue_depth(broker, queue) == 3 - done)


def test_stopping_does_not_wait_for_a_message_longer_than_it_may(
    broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    recorder.may_finish.clear()
    worker = start(broker, queue, threads=1)
    publish(broker, queue, {"page_id": "a"})
    recorder.wait_started(1)
    worker.stop(timeout_s=0.3)
    assert recorder.finished == []
    assert eventually(lambda: queue_depth(broker, queue) == 1)
    recorder.may_finish.set()


@on_servers
def test_messages_of_a_killed_worker_are_delivered_to_another(
    url: str, broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    pages = {"a", "b", "c"}
    publish_all(broker, queue, pages)
    doomed = subprocess.Popen(
        [sys.executable, "-m", "tests.inference.workers.brokers.doomed_worker", url, queue, str(ALIVE_S)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert doomed.stdout is not None
    said = doomed.stdout.readline().strip()
    doomed.kill()
    doomed.wait()
    assert said == "running"
    recorder = Recorder(broker)
    start(broker, queue)
    assert set(recorder.wait_finished(3)) == pages
