"""Tests with a RabbitMQ of their own that blocks publishers, as it does if its memory or its disk runs low."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pytest_django import Settings

from inference.workers.brokers import BrokerUnavailable
from jobs.core import states
from jobs.events.broker import broker_server, pages_waiting, publish_page, publishing_broker
from jobs.queue.release import release_version
from maas.local.supervisor.children import spawn
from tests.chaos.rabbitmq import OwnRabbitmq, find_rabbitmq
from tests.jobs.conftest import Desk
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("own rabbitmq"), pytest.mark.long]
START_S = 120.0
SOON_S = 15.0
"""Seconds for five submissions, of which one waits for the broker's 0.4 s now and then."""


class Node:
    def __init__(self, home: Path) -> None:
        program = find_rabbitmq()
        control = None if program is None else Path(program).with_name("rabbitmqctl")
        if control is None or not control.exists():
            pytest.skip("no rabbitmq-server with its rabbitmqctl")
        self._control = str(control)
        self.own = OwnRabbitmq(home)
        self.spec = self.own.spec()

    def alarm(self, share: float) -> None:
        """Set the alarm's threshold as a share of the machine's memory. A share of 0 is always exceeded."""
        command = [self._control, "-q", "set_vm_memory_high_watermark", str(share)]
        subprocess.run(command, env=dict(self.spec.env), check=True, capture_output=True, timeout=START_S)


@pytest.fixture
def node(settings: Settings) -> Iterator[Node]:
    with tempfile.TemporaryDirectory(prefix="maas-mq-") as folder, (Path(folder) / "log").open("wb") as log:
        node = Node(Path(folder) / "home")
        process = spawn(node.spec, log.fileno())
        try:
            eventually(node.own.is_ready, "a RabbitMQ of its own", START_S)
            settings.MAAS_BROKER_URL = node.own.url
            forget_broker()
            yield node
        finally:
            forget_broker()
            process.terminate()
            process.wait(30)


def forget_broker() -> None:
    publishing_broker.cache_clear()
    broker_server.cache_clear()


def test_jobs_are_accepted_while_it_blocks_and_told_once_it_does_not(desk: Desk, node: Node) -> None:
    queue = desk.version.queue_name
    desk.submit()
    assert eventually(lambda: pages_waiting(queue) == 1, "a message")
    node.alarm(0)
    began_s = time.monotonic()
    jobs = [desk.submit() for _ in range(5)]
    assert time.monotonic() - began_s < SOON_S
    assert {job.state for job in jobs} == {states.QUEUED}
    with pytest.raises(BrokerUnavailable):
        publish_page(queue, tenant_id=desk.identity.tenant_id, page_id=desk.pages(jobs[0])[0].id)
    node.alarm(0.4)
    for job in jobs:
        desk.sql("UPDATE jobs_page SET renotify_at = NULL WHERE job_id = %s", job.id)

    def told() -> bool:
        with suppress(BrokerUnavailable):  # Which did not answer a moment ago, and is left alone for another.
            release_version(desk.version.id, desk.version.key)
            return pages_waiting(queue) >= 6
        return False

    assert eventually(told, "messages for what was accepted")
