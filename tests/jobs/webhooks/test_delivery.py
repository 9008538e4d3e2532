"""Tests from a job's end to a response, through the database and a real receiver."""

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from jobs.webhooks import services
from jobs.webhooks.claims import LEASE_S
from jobs.webhooks.errors import WebhookDisabled
from jobs.webhooks.sending import attempt, signed
from jobs.webhooks.settlement import settle
from jobs.webhooks.upkeep import end_stranded_deliveries
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import NotFound
from tenants.core.http_client.client import Outbound
from tenants.identity.identity import Identity

from .conftest import Post, Receiver


def test_a_jobs_end_arrives_signed_and_is_logged(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    job = post.ended_job()
    assert post.send_due() == 1
    (got,) = receiver.got
    assert got.is_signed_with(made.secret)
    assert got.headers["content-type"] == "application/json"
    assert (got.payload["type"], got.payload["data"]["id"]) == ("job.succeeded", str(job.id))
    assert got.payload["timestamp"].endswith("Z")
    (logged,) = post.attempts()
    assert (logged.number, logged.status, logged.response_body, logged.error_code) == (1, 200, "", "")
    assert post.delivery().state == "delivered"
    assert post.send_due() == 0


def test_without_an_endpoint_nothing_is_written(post: Post) -> None:
    post.ended_job()
    assert post.deliveries() == []


def test_a_canceled_job_is_told_of(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    job = post.desk.submit()
    cancel_job(identity=post.desk.identity, job_id=job.id)
    post.send_due()
    assert [got.payload["type"] for got in receiver.got] == ["job.canceled"]


def test_a_message_is_there_with_its_jobs_end_or_not_at_all(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    job = post.desk.submit()
    with unit_of_work(post.desk.identity.tenant_id):
        cancel_job(identity=post.desk.identity, job_id=job.id)
        transaction.set_rollback(True, using=APP)
    assert post.deliveries() == []
    assert post.desk.again(job).state == "queued"


def test_an_endpoint_hears_only_what_it_asked_for(
    post: Post, receiver: Receiver, make_receiver: Callable[[], Receiver]
) -> None:
    other = make_receiver()
    post.endpoint(receiver, "job.failed", "job.canceled")
    post.endpoint(other, "job.*")
    post.ended_job()
    post.send_due()
    assert (len(receiver.got), len(other.got)) == (0, 1)


def test_it_is_signed_by_the_databases_clock_whatever_a_process_takes_the_time_to_be(
    post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    post.endpoint(receiver)
    post.ended_job()
    right_s = time.time
    monkeypatch.setattr(time, "time", lambda: right_s() + 5 * 3600)
    assert post.send_due() == 1
    (got,) = receiver.got
    assert abs(float(got.headers["webhook-timestamp"]) - right_s()) < 120


def test_a_crash_between_sending_and_writing_sends_it_once_more_under_the_same_id(
    post: Post, receiver: Receiver
) -> None:
    post.endpoint(receiver)
    post.ended_job()
    (held,) = post.taken()
    attempt(signed(held))
    assert post.send_due() == 0, "its lease lasts"
    post.end_leases()
    assert post.send_due() == 1
    first, second = receiver.got
    assert (first.id, first.body) == (second.id, second.body)
    assert post.delivery().state == "delivered"


def test_a_process_that_lost_its_lease_writes_nothing(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    (held,) = post.taken()
    outcome = attempt(signed(held))
    post.end_leases()
    (later,) = post.taken()
    assert settle(held, outcome) is None
    assert post.attempts() == []
    assert settle(later, attempt(signed(later))) is not None
    assert [one.number for one in post.attempts()] == [2]


def test_a_lease_outlives_any_request() -> None:
    assert LEASE_S > 30


@pytest.mark.parametrize("status", [302, 400, 500])
def test_a_failure_is_sent_again_later_with_the_same_id_and_a_new_time(
    post: Post, receiver: Receiver, status: int
) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status, receiver.headers = status, {"location": receiver.url}
    post.send_due()
    assert post.send_due() == 0
    assert 4 < post.seconds_to_next() < 6
    receiver.status = 200
    post.make_due()
    post.send_due()
    assert len({got.id for got in receiver.got}) == 1
    assert [one.status for one in post.attempts()] == [status, 200]
    assert post.delivery().state == "delivered"


def test_the_tenth_failure_ends_it(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status = 500
    for _ in range(12):
        post.end_rest()
        post.send_due()
    assert len(receiver.got) == 10
    delivery = post.delivery()
    assert (delivery.state, delivery.error_code, delivery.attempts_made) == ("failed", "status_500", 10)


def test_nobody_there_is_a_failure_with_a_reason(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.close()
    post.send_due()
    (logged,) = post.attempts()
    assert (logged.status, bool(logged.error_code), bool(logged.detail)) == (None, True, True)
    assert post.delivery().state == "pending"


def test_a_name_that_leads_inside_is_told_as_one_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(name: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        if name.startswith("inside"):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 0))]
        raise socket.gaierror

    monkeypatch.setattr("tenants.core.http_client.lookup.socket.getaddrinfo", resolve)
    inside, nowhere = (
        attempt(Outbound("POST", f"https://{host}.example.com/hook", {}, b"{}")) for host in ("inside", "nowhere")
    )
    assert inside.error_code == nowhere.error_code == "no_public_address"
    assert inside.detail.replace("inside.", "nowhere.") == nowhere.detail
    assert (inside.refused, inside.own_fault) == (nowhere.refused, nowhere.own_fault) == (False, False)


def test_nothing_goes_to_an_endpoint_that_was_disabled_meanwhile(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    post.ended_job()
    asked: dict[str, Any] = {"identity": post.desk.identity, "endpoint_id": made.endpoint.id}
    services.change_endpoint(**asked, enabled=False)
    assert post.send_due() == 0
    end_stranded_deliveries()
    assert (post.delivery().state, post.delivery().error_code) == ("failed", "endpoint_disabled")
    with pytest.raises(WebhookDisabled, match="Enable it first"):
        services.replay_delivery(identity=post.desk.identity, delivery_id=post.delivery().id)
    services.change_endpoint(**asked, enabled=True)
    services.replay_delivery(identity=post.desk.identity, delivery_id=post.delivery().id)
    assert post.send_due() == 1


def test_a_job_that_ends_while_its_endpoint_is_deleted_ends_all_the_same(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    job = post.desk.submit()
    with unit_of_work(post.desk.identity.tenant_id), transaction.atomic(using=APP):
        cancel_job(identity=post.desk.identity, job_id=job.id)
        services.delete_endpoint(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    assert post.desk.again(job).state == "canceled"
    assert post.send_due() == 0
    with pytest.raises(NotFound):
        services.send_test(identity=post.desk.identity, endpoint_id=made.endpoint.id)


def test_a_jobs_own_address_is_told_and_signed_with_the_tenants_secret(post: Post, receiver: Receiver) -> None:
    job = post.ended_job(webhook_url=receiver.url + "?order=7")
    assert post.send_due() == 1
    (got,) = receiver.got
    assert got.path == "/hook?order=7"
    assert got.payload["data"]["id"] == str(job.id)
    assert got.is_signed_with(services.own_secret(identity=post.desk.identity))


def test_410_of_a_jobs_own_address_ends_that_delivery_alone(post: Post, receiver: Receiver) -> None:
    receiver.status = 410
    post.ended_job(webhook_url=receiver.url)
    post.send_due()
    assert post.delivery().state == "failed"
    receiver.status = 200
    post.ended_job(webhook_url=receiver.url)
    post.send_due()
    assert [one.state for one in post.deliveries()] == ["failed", "delivered"]


def test_a_retry_tells_where_its_first_told(post: Post, receiver: Receiver) -> None:
    job = post.desk.submit()
    post.sql("UPDATE jobs_job SET webhook_url = 'http://127.0.0.1:9/x' WHERE true")
    cancel_job(identity=post.desk.identity, job_id=job.id)
    again = retry_job(identity=post.desk.identity, job_id=job.id)
    assert again.webhook_url == "http://127.0.0.1:9/x"


def test_another_tenants_endpoint_is_none(post: Post, receiver: Receiver, other_identity: Identity) -> None:
    made = post.endpoint(receiver)
    post.ended_job()
    for ask in (
        lambda: services.rotate_secret(identity=other_identity, endpoint_id=made.endpoint.id),
        lambda: services.send_test(identity=other_identity, endpoint_id=made.endpoint.id),
        lambda: services.delete_endpoint(identity=other_identity, endpoint_id=made.endpoint.id),
        lambda: services.replay_delivery(identity=other_identity, delivery_id=post.delivery().id),
    ):
        with pytest.raises(NotFound):
            ask()
    assert services.own_secret(identity=other_identity) != services.own_secret(identity=post.desk.identity)
