"""Provide one set of fixtures for all brokers. Each test gets a queue and a broker of its own."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from dramatiq.brokers.stub import StubBroker

from inference.workers.brokers import QueueBroker, QueueWorker, build_broker, start_worker
from inference.workers.brokers.redis import RedisQueueBroker
from tests.inference.workers.brokers.servers import (
    AMQP_URL,
    Wire,
    delete_rabbitmq_queues,
    rabbitmq_answers,
    redis_server,
)
from tests.inference.workers.brokers.stub_broker import StubQueueBroker

ALIVE_S = 1.5
IDLE_S = 0.2


@pytest.fixture(scope="session")
def private_redis_url() -> Iterator[str]:
    with redis_server() as url:
        yield url


@pytest.fixture
def amqp_url() -> str:
    if not rabbitmq_answers():
        reason = f"no RabbitMQ at {AMQP_URL}"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return AMQP_URL


SERVERS = ["redis", pytest.param("rabbitmq", marks=pytest.mark.rabbitmq)]
on_servers = pytest.mark.parametrize("url", SERVERS, indirect=True)
"""A parametrization for what only a server can go through: its outage, or the death of a process that it outlives."""


@pytest.fixture(params=[*SERVERS, "stub"])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "stub":
        return f"stub:{uuid4().hex}"
    name = "private_redis_url" if request.param == "redis" else "amqp_url"
    return str(request.getfixturevalue(name))


OpenBroker = Callable[[str], QueueBroker]


@pytest.fixture
def open_broker() -> Iterator[OpenBroker]:
    stubs: dict[str, StubBroker] = {}
    with ExitStack() as stack:

        def build(url: str) -> QueueBroker:
            if url.startswith("stub:"):
                return StubQueueBroker(stubs.setdefault(url, StubBroker(middleware=[])))
            broker = build_broker(url, middleware=[])
            if isinstance(broker, RedisQueueBroker):
                broker.alive_s = ALIVE_S
            stack.callback(broker.close)
            return broker

        yield build


@pytest.fixture
def broker(url: str, open_broker: OpenBroker) -> QueueBroker:
    return open_broker(url)


NewQueue = Callable[[], str]


@pytest.fixture
def new_queue(request: pytest.FixtureRequest) -> Iterator[NewQueue]:
    made: list[str] = []

    def make() -> str:
        made.append(f"infer.test-{uuid4().hex[:12]}@1")
        return made[-1]

    yield make
    if request.node.get_closest_marker("rabbitmq") and made:
        delete_rabbitmq_queues(*made)


@pytest.fixture
def queue(new_queue: NewQueue) -> str:
    return new_queue()


StartWorker = Callable[..., QueueWorker]


@pytest.fixture
def start(open_broker: OpenBroker) -> Iterator[StartWorker]:
    """Return a function that starts workers. It depends on the brokers, so that workers stop before their brokers
    close.
    """
    workers: list[QueueWorker] = []

    def begin(broker: QueueBroker, *queues: str, threads: int = 2) -> QueueWorker:
        workers.append(start_worker(broker, threads=threads, queues=queues, idle_s=IDLE_S))
        return workers[-1]

    yield begin
    for worker in workers:
        worker.stop(timeout_s=2)


@pytest.fixture
def wire(url: str) -> Iterator[Wire]:
    parts = urlsplit(url)
    wire = Wire(parts.hostname or "127.0.0.1", parts.port or 5672)
    yield wire
    wire.cut()


@pytest.fixture
def wired_url(url: str, wire: Wire) -> str:
    parts = urlsplit(url)
    login = f"{parts.username}:{parts.password}@" if parts.username else ""
    return f"{parts.scheme}://{login}127.0.0.1:{wire.port}{parts.path}"
