import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connections

from jobs.models import WebhookMessage
from jobs.webhooks.deliverer import start_deliverer
from jobs.webhooks.lanes import PER_ENDPOINT
from jobs.webhooks.upkeep import KEPT_DAYS, erase_old_webhooks
from tenants.context import unit_of_work
from tests.waiting import eventually

from .conftest import Post, Receiver


@pytest.fixture
def deliver() -> Iterator[Callable[[], None]]:
    """Starts one, as every scheduler process does."""
    stopping, threads = threading.Event(), list[threading.Thread]()
    yield lambda: threads.append(start_deliverer(stopping))
    stopping.set()
    for thread in threads:
        thread.join(40)
    assert not any(thread.is_alive() for thread in threads)


def test_a_jobs_end_arrives_by_itself(post: Post, receiver: Receiver, deliver: Callable[[], None]) -> None:
    post.endpoint(receiver)
    deliver()
    post.ended_job()
    eventually(lambda: len(receiver.got) == 1, "the message")
    eventually(lambda: post.delivery().state == "delivered", "its end")


def test_two_processes_send_each_message_once(
    post: Post, receiver: Receiver, deliver: Callable[[], None]
) -> None:
    post.endpoint(receiver)
    for _ in range(6):
        post.ended_job()
    deliver()
    deliver()
    eventually(lambda: {one.state for one in post.deliveries()} == {"delivered"}, "all ends")
    assert len({got.id for got in receiver.got}) == len(receiver.got) == 6


def test_an_endpoint_that_hangs_delays_no_other(
    post: Post, make_receiver: Callable[[], Receiver], deliver: Callable[[], None]
) -> None:
    dead, live = make_receiver(), make_receiver()
    dead.hang.clear()
    for one in (dead, live):
        post.endpoint(one)
    for _ in range(8):
        post.ended_job()
    deliver()
    eventually(lambda: len(live.got) == 8, "all messages of the one that answers")
    assert len(dead.got) == PER_ENDPOINT
    dead.hang.set()


def test_what_is_older_than_a_month_is_erased_and_what_is_under_way_is_not(
    post: Post, receiver: Receiver
) -> None:
    post.endpoint(receiver)
    post.ended_job()
    post.send_due()
    post.ended_job()
    post.sql(
        f"UPDATE jobs_webhookmessage SET created_at = created_at - interval '{KEPT_DAYS + 1} days' WHERE true"
    )
    erase_old_webhooks()
    assert [one.state for one in post.deliveries()] == ["pending"]
    with unit_of_work(post.desk.identity.tenant_id):
        assert WebhookMessage.objects.count() == 1
    assert post.attempts() == []
    connections.close_all()
