"""Test what applies only to the RabbitMQ broker."""

import threading
from contextlib import suppress

import pika
import pytest

from inference.workers.brokers import (
    BrokerMisconfigured,
    BrokerUnavailable,
    build_broker,
    publish,
    queue_depth,
)
from inference.workers.brokers.rabbitmq import RabbitmqQueueBroker, connection_parameters
from inference.workers.brokers.rabbitmq_queues import DELIVERY_LIMIT, queue_arguments
from tests.inference.workers.brokers.conftest import OpenBroker, StartWorker
from tests.inference.workers.brokers.recorder import Recorder, eventually
from tests.inference.workers.brokers.servers import delete_rabbitmq_queues

pytestmark = pytest.mark.rabbitmq


@pytest.fixture
def broker(amqp_url: str, open_broker: OpenBroker) -> RabbitmqQueueBroker:
    broker = open_broker(amqp_url)
    assert isinstance(broker, RabbitmqQueueBroker)
    return broker


def test_queue_is_a_quorum_queue_without_a_delay_queue(broker: RabbitmqQueueBroker, queue: str, amqp_url: str) -> None:
    publish(broker, queue, {"page_id": "a"})
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    classic = {**queue_arguments(queue), "x-queue-type": "classic"}
    with pytest.raises(pika.exceptions.ChannelClosedByBroker, match=r"x-queue-type.*quorum"):
        connection.channel().queue_declare(queue, durable=True, arguments=classic)
    with pytest.raises(pika.exceptions.ChannelClosedByBroker, match="no queue"):
        connection.channel().queue_declare(f"{queue}.DQ", passive=True)
    connection.close()


def test_message_that_kills_its_workers_is_set_aside_and_counted(broker: RabbitmqQueueBroker, queue: str) -> None:
    publish(broker, queue, {"page_id": "poison"})
    deliveries = 0
    while deliveries <= DELIVERY_LIMIT:
        consumer = broker.consume(queue, timeout=500)
        if next(consumer) is not None:
            deliveries += 1
        consumer.close()
    assert eventually(lambda: broker.count_dead(queue) == 1)
    assert queue_depth(broker, queue) == 0


def test_queue_deleted_behind_the_publisher_is_declared_again(broker: RabbitmqQueueBroker, queue: str) -> None:
    publish(broker, queue, {"page_id": "a"})
    delete_rabbitmq_queues(queue)
    publish(broker, queue, {"page_id": "b"})
    assert eventually(lambda: queue_depth(broker, queue) == 1)


def test_queue_deleted_behind_its_consumer_is_consumed_again(
    broker: RabbitmqQueueBroker, queue: str, start: StartWorker
) -> None:
    recorder = Recorder(broker)
    start(broker, queue)
    publish(broker, queue, {"page_id": "a"})
    recorder.wait_finished(1)
    delete_rabbitmq_queues(queue)

    def runs_again() -> bool:
        # The server may refuse while it deletes a queue, or confirm and forget.
        with suppress(BrokerUnavailable):
            publish(broker, queue, {"page_id": "b"})
        return "b" in recorder.finished

    assert eventually(runs_again)


def test_queue_of_another_kind_under_the_same_name_is_an_error_that_names_it(
    broker: RabbitmqQueueBroker, queue: str, amqp_url: str
) -> None:
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    connection.channel().queue_declare(queue, durable=True)
    connection.close()
    with pytest.raises(BrokerUnavailable, match="PRECONDITION_FAILED"):
        publish(broker, queue, {"page_id": "a"})


def test_a_queue_that_an_older_version_declared_is_made_anew_by_its_first_consumer(
    broker: RabbitmqQueueBroker, queue: str, amqp_url: str
) -> None:
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    older = {**queue_arguments(queue), "x-dead-letter-strategy": "at-least-once"}
    connection.channel().queue_declare(queue, durable=True, arguments=older)
    connection.close()
    with pytest.raises(BrokerUnavailable, match="PRECONDITION_FAILED"):
        publish(broker, queue, {"page_id": "a"})
    broker.consume(queue).close()
    publish(broker, queue, {"page_id": "b"})
    assert queue_depth(broker, queue) == 1


def test_all_threads_of_a_process_publish_over_one_connection(broker: RabbitmqQueueBroker, queue: str) -> None:
    for _ in range(20):
        thread = threading.Thread(target=publish, args=[broker, queue, {"page_id": "a"}])
        thread.start()
        thread.join()
    clients = [thread for thread in threading.enumerate() if thread.name == "rabbitmq-client"]
    assert len(clients) == 1


def test_connection_settings_of_the_url_win_over_the_defaults() -> None:
    parameters = connection_parameters("amqp://u:p@broker/maas?heartbeat=5")
    assert (parameters.heartbeat, parameters.socket_timeout, parameters.virtual_host) == (5, 2.0, "maas")


def test_url_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BrokerMisconfigured, match="MAAS_BROKER_URL"):
        build_broker("amqp://broker/?heartbeat=often")
