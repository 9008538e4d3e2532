import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import connections
from pytest_django import Settings

from jobs.submission.services import JobRequest, submit_job
from jobs.webhooks import deliverer
from jobs.webhooks.addresses import origin_of
from jobs.webhooks.claims import Held, take_due
from jobs.webhooks.deliverer import Deliveries, start_deliverer
from jobs.webhooks.delivery_order import PER_ENDPOINT
from jobs.webhooks.models import WebhookEndpoint, WebhookMessage
from jobs.webhooks.sending import attempt
from jobs.webhooks.upkeep import KEPT_DAYS, erase_old_webhooks
from tenants.core.db.unit_of_work import unit_of_work
from tests.waiting import eventually

from .conftest import Post, Receiver


@pytest.fixture
def deliver() -> Iterator[Callable[[], Deliveries]]:
    """Yield a function that starts a deliverer, as every scheduler process does."""
    stopping, threads = threading.Event(), list[Deliveries]()

    def start() -> Deliveries:
        threads.append(start_deliverer(stopping))
        return threads[-1]

    yield start
    stopping.set()
    for thread in threads:
        thread.join(40)
    assert not any(thread.is_alive() for thread in threads)


def test_a_jobs_end_arrives_by_itself(post: Post, receiver: Receiver, deliver: Callable[[], Deliveries]) -> None:
    post.endpoint(receiver)
    deliver()
    post.ended_job()
    eventually(lambda: len(receiver.got) == 1, "the message")
    eventually(lambda: post.delivery().state == "delivered", "its end")


def test_two_processes_send_each_message_once(
    post: Post, receiver: Receiver, deliver: Callable[[], Deliveries]
) -> None:
    post.endpoint(receiver)
    for _ in range(6):
        post.ended_job()
    deliver()
    deliver()
    eventually(lambda: {one.state for one in post.deliveries()} == {"delivered"}, "all ends")
    assert len({got.id for got in receiver.got}) == len(receiver.got) == 6


def test_an_endpoint_that_hangs_delays_no_other(
    post: Post, make_receiver: Callable[[], Receiver], deliver: Callable[[], Deliveries]
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


def test_what_cannot_be_signed_is_an_attempt_by_the_schedule_and_no_fault_of_the_endpoint(
    post: Post,
    receiver: Receiver,
    deliver: Callable[[], Deliveries],
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = post.endpoint(receiver)
    for _ in range(2):
        post.ended_job()
    settings.MAAS_KEY_PEPPER = ""
    deliver()
    eventually(lambda: len(post.attempts()) == 2, "both attempts")
    assert {one.error_code for one in post.attempts()} == {"internal_error"}
    assert {(one.state, one.step) for one in post.deliveries()} == {("pending", 1)}
    assert post.again(made.endpoint).failing_since is None
    assert caplog.text.count("webhook_delivery_failed") == 1


def test_words_that_cannot_be_stored_do_not_have_a_message_sent_for_ever(
    post: Post, receiver: Receiver, deliver: Callable[[], Deliveries], monkeypatch: pytest.MonkeyPatch
) -> None:
    post.endpoint(receiver)
    post.ended_job()
    monkeypatch.setattr(deliverer, "attempt", lambda outbound: replace(attempt(outbound), response_body="\0"))
    deliver()
    eventually(lambda: post.delivery().state == "delivered", "its end")
    assert [(one.status, one.response_body) for one in post.attempts()] == [(200, "")]


def test_a_deliverer_whose_loop_dies_goes_on(
    post: Post, receiver: Receiver, deliver: Callable[[], Deliveries], monkeypatch: pytest.MonkeyPatch
) -> None:
    post.endpoint(receiver)
    deaths = [SystemExit()]

    def die_once(**asked: Any) -> list[Held]:
        if deaths:
            raise deaths.pop()
        return take_due(**asked)

    monkeypatch.setattr(deliverer, "take_due", die_once)
    started = deliver()
    post.ended_job()
    eventually(lambda: len(receiver.got) == 1, "the message")
    assert started.well


def test_a_deliverer_that_has_ended_or_hangs_is_not_well(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = threading.Event()
    started = start_deliverer(stopping)
    assert started.well
    monkeypatch.setattr(deliverer, "HANGS_S", 0.0)
    assert not started.well
    monkeypatch.undo()
    stopping.set()
    started.join(40)
    assert not started.well


def test_servers_that_jobs_no_longer_name_are_forgotten(post: Post, receiver: Receiver) -> None:
    post.ended_job(webhook_url=receiver.url)
    post.send_due()
    waits = post.ended_job(webhook_url=receiver.url.replace("127.0.0.1", "localhost"))
    for table in ("jobs_webhookmessage", "jobs_webhookendpoint"):
        post.sql(f"UPDATE {table} SET created_at = created_at - interval '{KEPT_DAYS + 1} days' WHERE true")
    erase_old_webhooks()
    with unit_of_work(post.desk.identity.tenant_id):
        kept = WebhookEndpoint.objects.filter(kind=WebhookEndpoint.Kind.JOBS)
        assert [one.url for one in kept] == [origin_of(waits.webhook_url)]
    post.ended_job(webhook_url=receiver.url)
    assert post.send_due() >= 1


def test_a_job_whose_server_was_forgotten_while_it_ran_tells_it_all_the_same(post: Post, receiver: Receiver) -> None:
    request = JobRequest(model=post.desk.version.served_model.name, input={"text": "hello"}, webhook_url=receiver.url)
    job = submit_job(identity=post.desk.identity, request=request)
    post.sql(f"UPDATE jobs_webhookendpoint SET created_at = created_at - interval '{KEPT_DAYS + 1} days' WHERE true")
    erase_old_webhooks()
    post.desk.finish(*post.desk.pages(job))
    post.send_due()
    assert len(receiver.got) == 1
    connections.close_all()


def test_what_is_older_than_a_month_is_erased_and_what_is_under_way_is_not(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    post.send_due()
    post.ended_job()
    post.sql(f"UPDATE jobs_webhookmessage SET created_at = created_at - interval '{KEPT_DAYS + 1} days' WHERE true")
    erase_old_webhooks()
    assert [one.state for one in post.deliveries()] == ["pending"]
    with unit_of_work(post.desk.identity.tenant_id):
        assert WebhookMessage.objects.count() == 1
    assert post.attempts() == []
    connections.close_all()
