"""Test what happens while a broker cannot be reached, and when it comes back."""

import time
from collections.abc import Callable

import pytest

from inference.workers.brokers import BrokerUnavailable, QueueBroker, publish, queue_depth, start_worker
from tests.inference.workers.brokers.conftest import OpenBroker, StartWorker, on_servers
from tests.inference.workers.brokers.recorder import Recorder, eventually
from tests.inference.workers.brokers.servers import Wire

pytestmark = on_servers
A_FEW_SECONDS = 7.0


def seconds_to_fail(attempt: Callable[[], object]) -> float:
    begun = time.monotonic()
    with pytest.raises(BrokerUnavailable) as failure:
        attempt()
    assert failure.value.code == "broker_unavailable"
    return time.monotonic() - begun


@pytest.fixture
def wired(open_broker: OpenBroker, wired_url: str, queue: str) -> QueueBroker:
    broker = open_broker(wired_url)
    publish(broker, queue, {"page_id": "before"})
    return broker


def test_publishing_to_a_refused_port_fails_at_once_and_recovers(wired: QueueBroker, wire: Wire, queue: str) -> None:
    wire.cut()
    assert seconds_to_fail(lambda: publish(wired, queue, {"page_id": "lost"})) < A_FEW_SECONDS
    wire.mend()
    publish(wired, queue, {"page_id": "after"})
    assert queue_depth(wired, queue) == 2


def test_publishing_to_a_server_that_hangs_fails_within_a_few_seconds_and_recovers(
    wired: QueueBroker, wire: Wire, queue: str
) -> None:
    wire.stall()
    assert seconds_to_fail(lambda: publish(wired, queue, {"page_id": "late"})) < A_FEW_SECONDS
    wire.mend()
    publish(wired, queue, {"page_id": "after"})
    # The late message may have arrived after all.
    assert queue_depth(wired, queue) >= 2


def test_counting_during_an_outage_fails(wired: QueueBroker, wire: Wire, queue: str) -> None:
    wire.cut()
    assert seconds_to_fail(lambda: queue_depth(wired, queue)) < A_FEW_SECONDS


def test_worker_does_not_start_without_its_broker(wired: QueueBroker, wire: Wire) -> None:
    wire.cut()
    assert seconds_to_fail(lambda: start_worker(wired, threads=1)) < A_FEW_SECONDS


def test_worker_goes_on_after_an_outage(
    wired: QueueBroker, wire: Wire, broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(wired)
    start(wired, queue)
    recorder.wait_finished(1)
    wire.cut()
    publish(broker, queue, {"page_id": "during"})
    wire.mend()
    # The previous message may be repeated if its acknowledgement was cut off.
    assert eventually(lambda: "during" in recorder.finished)


def test_message_that_runs_through_an_outage_does_not_block_its_worker(
    wired: QueueBroker, wire: Wire, broker: QueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(wired)
    recorder.may_finish.clear()
    start(wired, queue, threads=1)
    recorder.wait_started(1)
    wire.cut()
    wire.mend()
    publish(broker, queue, {"page_id": "after"})
    recorder.may_finish.set()
    assert eventually(lambda: "after" in recorder.finished)
