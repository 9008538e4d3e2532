"""Tests of test messages and replays, which are sent because a person requests them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs.webhooks import services
from jobs.webhooks.sending import attempt, signed
from jobs.webhooks.settlement import settle
from tenants.core.errors import InvalidRequest

from .conftest import Post, Receiver


def test_a_replay_during_the_tenth_attempt_outlives_its_failure(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status = 500
    for _ in range(9):
        post.end_rest()
        post.send_due()
    post.end_rest()
    (tenth,) = post.taken()
    services.replay_delivery(identity=post.desk.identity, delivery_id=post.delivery().id)
    settle(tenth, attempt(signed(tenth)))
    assert (post.delivery().state, post.delivery().step) == ("pending", 1)
    assert 4 < post.seconds_to_next() < 6


def test_what_was_missed_while_it_was_disabled_can_be_sent_once_more(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    post.sql("UPDATE jobs_webhookendpoint SET state = 'disabled' WHERE true")
    post.ended_job()
    post.send_due()
    assert not receiver.got
    post.sql("UPDATE jobs_webhookendpoint SET state = 'enabled' WHERE true")
    hour = timedelta(hours=1)
    sent = services.replay_range(
        identity=post.desk.identity,
        endpoint_id=made.endpoint.id,
        since=timezone.now() - hour,
        until=timezone.now() + hour,
        only_failed=True,
    )
    post.send_due()
    assert (sent, len(receiver.got), post.delivery().state) == (1, 1, "delivered")


def test_a_test_goes_to_its_endpoint_alone(
    post: Post, receiver: Receiver, make_receiver: Callable[[], Receiver]
) -> None:
    made = post.endpoint(receiver, "job.failed")
    post.endpoint(make_receiver())
    services.send_test(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    assert post.send_due() == 1
    assert [got.payload["type"] for got in receiver.got] == ["test.ping"]


def test_a_replay_sends_the_same_bytes_under_the_same_id(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    post.send_due()
    services.replay_delivery(identity=post.desk.identity, delivery_id=post.delivery().id)
    post.send_due()
    first, second = receiver.got
    assert (first.id, first.body) == (second.id, second.body)
    assert [one.number for one in post.attempts()] == [1, 2]


def test_a_range_is_replayed_and_nothing_beyond_it(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    for _ in range(2):
        post.ended_job()
        post.send_due()
    old, new = post.deliveries()
    between = new.message.created_at
    now = timezone.now() + timedelta(minutes=1)
    asked: dict[str, Any] = {
        "identity": post.desk.identity,
        "endpoint_id": made.endpoint.id,
        "only_failed": False,
    }
    assert services.replay_range(**asked, since=between, until=now) == 1
    post.send_due()
    assert [got.id for got in receiver.got] == [old.message.webhook_id] + [new.message.webhook_id] * 2
    assert services.replay_range(**{**asked, "only_failed": True}, since=between, until=now) == 0
    with pytest.raises(InvalidRequest, match="must be before"):
        services.replay_range(**asked, since=now, until=between)
