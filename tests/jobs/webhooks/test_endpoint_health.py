"""Test that the responses of a server decide how much is sent to it, when, and whether anything is sent at all."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import BoundedSemaphore

import pytest
from django.db import connections, transaction
from django.utils import timezone

from jobs.webhooks import services
from jobs.webhooks.claims import LOCK_ID, Walk, take_due
from jobs.webhooks.delivery_order import PER_ENDPOINT, WIDEST
from jobs.webhooks.models import WebhookEndpoint
from jobs.webhooks.schedule import DELAYS_S
from jobs.webhooks.sending import attempt, signed
from jobs.webhooks.settlement import FAST_MS, SLOW_MS, settle
from tenants.core.db.unit_of_work import OPERATOR
from tenants.core.http_client import lookup

from .conftest import Post, Receiver

State = WebhookEndpoint.State


def test_retry_after_is_heeded(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status, receiver.headers = 503, {"retry-after": "120"}
    post.send_due()
    assert 118 < post.seconds_to_next() < 121


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_for_a_pause_is_sent_no_other_message_meanwhile(
    post: Post, receiver: Receiver, status: int
) -> None:
    made = post.endpoint(receiver)
    for _ in range(2):
        post.ended_job()
    first, second = post.taken()
    receiver.status, receiver.headers = status, {"retry-after": "120"}
    settle(first, attempt(signed(first)))
    receiver.status, receiver.headers = 200, {}
    settle(second, attempt(signed(second)))  # It was under way, and says nothing of those to come.
    post.ended_job()
    post.make_due()
    assert post.taken() == []
    left_alone_until = post.again(made.endpoint).left_alone_until
    assert left_alone_until is not None
    assert 110 < (left_alone_until - timezone.now()).total_seconds() < 125
    post.sql("UPDATE jobs_webhookendpoint SET not_before = clock_timestamp() WHERE true")
    assert len(post.taken()) == 2


def test_a_pause_that_is_asked_for_because_of_one_message_holds_that_one_alone(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status, receiver.headers = 404, {"retry-after": "120"}
    post.send_due()
    post.ended_job()
    assert len(post.taken()) == 1


def test_an_endpoint_whose_server_is_down_is_left_alone_and_then_probed_by_one(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    receiver.status = 503
    for _ in range(8):
        post.ended_job()
    for _ in range(5):
        post.make_due()
        post.send_due()
    post.make_due()
    assert post.taken() == []
    assert {one.state for one in post.deliveries()} == {"pending"}
    failed = len(receiver.got)
    post.end_rest()
    (probe,) = post.taken()
    assert post.taken() == []
    settle(probe, attempt(signed(probe)))
    assert (post.taken(), len(receiver.got)) == ([], failed + 1)
    receiver.status = 200
    post.end_rest()
    assert post.send_due() == 1
    assert post.again(made.endpoint).paused_until is None
    while post.send_due():
        pass
    assert {one.state for one in post.deliveries()} == {"delivered"}


@pytest.mark.parametrize("status", [404, 302])
def test_a_server_that_refuses_what_it_is_sent_is_not_left_alone(post: Post, receiver: Receiver, status: int) -> None:
    post.endpoint(receiver)
    receiver.status = status
    post.ended_job()
    for _ in range(7):
        post.make_due()
        assert post.send_due() == 1


@pytest.mark.parametrize("by_hand", ["test", "replay", "enable"])
def test_who_asks_by_hand_is_not_made_to_wait_for_a_rest_to_end(post: Post, receiver: Receiver, by_hand: str) -> None:
    endpoint_id, identity = post.endpoint(receiver).endpoint.id, post.desk.identity
    post.ended_job()
    (first,) = post.deliveries()
    post.ended_job()
    post.sql(
        "UPDATE jobs_webhookendpoint SET failures = 7, paused_until = clock_timestamp() + interval '9 min',"
        " not_before = clock_timestamp() + interval '9 min' WHERE true"
    )
    assert post.taken() == []
    if by_hand == "enable":
        for enabled in (False, True):
            services.change_endpoint(identity=identity, endpoint_id=endpoint_id, enabled=enabled)
        assert post.send_due() == 2
        return
    if by_hand == "test":
        wanted = services.send_test(identity=identity, endpoint_id=endpoint_id)
    else:
        wanted = services.replay_delivery(identity=identity, delivery_id=first.id)
    assert [held.id for held in post.taken()] == [wanted.id]


def test_what_was_under_way_when_a_rest_began_lengthens_nothing(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    receiver.status = 500
    for _ in range(2):
        post.ended_job()
    post.sql("UPDATE jobs_webhookendpoint SET failures = 4 WHERE true")
    first, second = post.taken()
    settle(first, attempt(signed(first)))
    paused_until = post.again(made.endpoint).paused_until
    settle(second, attempt(signed(second)))
    endpoint = post.again(made.endpoint)
    assert (endpoint.failures, endpoint.paused_until) == (5, paused_until)


def test_an_endpoint_that_answers_fast_may_have_more_at_once_until_it_fails(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    for _ in range(WIDEST):
        post.ended_job()
        post.send_due()
    assert post.again(made.endpoint).width == WIDEST
    for _ in range(WIDEST + 2):
        post.ended_job()
    assert len(post.taken()) == WIDEST
    post.end_leases()
    receiver.status = 500
    post.send_due()
    assert post.again(made.endpoint).width == 1


def test_an_endpoint_that_answers_slowly_has_less_at_once_again(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    post.ended_job()
    post.sql("UPDATE jobs_webhookendpoint SET width = 5 WHERE true")
    (held,) = post.taken()
    settle(held, replace(attempt(signed(held)), duration_ms=SLOW_MS + 1))
    assert post.again(made.endpoint).width == 4


@pytest.mark.parametrize("duration_ms", [FAST_MS - 1, FAST_MS + 1, SLOW_MS + 1])
def test_an_endpoint_that_failed_once_has_its_width_back_when_it_answers_however_fast(
    post: Post, receiver: Receiver, duration_ms: int
) -> None:
    made = post.endpoint(receiver)
    receiver.status = 500
    post.ended_job()
    post.send_due()
    assert post.again(made.endpoint).width == 1
    receiver.status = 200
    post.make_due()
    (held,) = post.taken()
    settle(held, replace(attempt(signed(held)), duration_ms=duration_ms))
    assert post.again(made.endpoint).width >= PER_ENDPOINT


def test_each_of_many_endpoints_has_its_turn_however_few_a_round_sees(
    post: Post, make_receiver: Callable[[], Receiver]
) -> None:
    for _ in range(4):
        post.endpoint(make_receiver())
    post.ended_job()
    walk, seen = Walk(lanes=2), list[int]()
    for _ in range(3):
        seen.append(len(take_due(room=32, doubtful_room=16, walk=walk)))
    assert seen == [2, 2, 0]
    assert not walk.goes_on


def test_a_process_that_another_keeps_from_looking_goes_on_where_it_was(
    post: Post, make_receiver: Callable[[], Receiver]
) -> None:
    for _ in range(4):
        post.endpoint(make_receiver())
    post.ended_job()
    walk = Walk(lanes=2)
    take_due(room=32, doubtful_room=16, walk=walk)
    place = walk.after
    with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_ID])
        with ThreadPoolExecutor(1) as other:
            assert other.submit(_taken_elsewhere, walk).result() == 0
    assert (walk.after, walk.goes_on) == (place, False)
    assert len(take_due(room=32, doubtful_room=16, walk=walk)) == 2


def _taken_elsewhere(walk: Walk) -> int:
    try:
        return len(take_due(room=32, doubtful_room=16, walk=walk))
    finally:
        connections.close_all()


def test_410_disables_the_endpoint(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    post.ended_job()
    receiver.status = 410
    post.send_due()
    endpoint = post.again(made.endpoint)
    assert (endpoint.state, endpoint.disabled_reason) == (State.DISABLED, "gone")
    assert post.delivery().state == "failed"
    post.ended_job()
    post.send_due()
    assert len(receiver.got) == 1
    missed = post.deliveries()
    assert [(one.state, one.attempts_made) for one in missed] == [("failed", 1), ("failed", 0)]
    assert missed[1].error_code == "endpoint_disabled"


def test_another_address_begins_with_a_clean_slate(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    post.sql(
        "UPDATE jobs_webhookendpoint SET failing_since = clock_timestamp() - interval '9 days', given_up = 9 WHERE true"
    )
    changed = services.change_endpoint(
        identity=post.desk.identity, endpoint_id=made.endpoint.id, url=f"{receiver.url}/new"
    )
    assert (changed.failing_since, changed.given_up) == (None, 0)
    same = services.change_endpoint(identity=post.desk.identity, endpoint_id=made.endpoint.id, url=changed.url)
    assert same.url == changed.url


def test_one_message_that_was_tried_to_the_last_disables_an_endpoint_that_took_nothing_meanwhile(
    post: Post, receiver: Receiver
) -> None:
    """The endpoint is disabled however few messages it gets, because nothing else would notify its owner."""
    made = post.endpoint(receiver)
    post.ended_job()
    receiver.status = 500
    for delay_s in [*DELAYS_S[1:], None]:
        assert post.again(made.endpoint).state == State.ENABLED
        post.end_rest()
        post.send_due()
        if delay_s is not None:
            post.sql(
                "UPDATE jobs_webhookendpoint SET failing_since = failing_since"
                f" - make_interval(secs => {delay_s}) WHERE true"
            )
    assert len(receiver.got) == len(DELAYS_S)
    endpoint = post.again(made.endpoint)
    assert (endpoint.state, endpoint.disabled_reason) == (State.DISABLED, "failing")


def test_a_success_wipes_out_the_failures_before_it(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    post.ended_job()
    receiver.status = 500
    post.send_due()
    assert post.again(made.endpoint).failing_since is not None
    receiver.status = 200
    post.make_due()
    post.send_due()
    assert post.again(made.endpoint).failing_since is None


@pytest.mark.parametrize(
    ("status", "headers"), [(410, {}), (503, {"retry-after": "86400"})], ids=["gone", "a long pause"]
)
def test_what_the_old_address_answers_is_not_held_against_the_new_one(
    post: Post, make_receiver: Callable[[], Receiver], status: int, headers: dict[str, str]
) -> None:
    old, new = make_receiver(), make_receiver()
    made = post.endpoint(old)
    post.ended_job()
    (held,) = post.taken()
    old.status, old.headers = status, headers
    services.change_endpoint(identity=post.desk.identity, endpoint_id=made.endpoint.id, url=new.url)
    settle(held, attempt(signed(held)))
    now = post.again(made.endpoint)
    assert (now.state, now.not_before, now.failing_since) == (State.ENABLED, None, None)
    assert post.delivery().state == "pending"
    assert post.seconds_to_next() < 60
    post.make_due()
    post.send_due()
    assert post.delivery().state == "delivered"


def test_lookups_that_are_too_many_at_once_are_held_against_nobody(
    post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = post.endpoint(receiver)
    post.ended_job()
    (held,) = post.taken()
    with monkeypatch.context() as patch:
        patch.setattr(lookup, "_places", BoundedSemaphore(1))
        lookup._places.acquire()
        told = attempt(signed(replace(held, url="https://hooks.example.com/")))
    assert (told.error_code, told.own_fault) == ("lookups_busy", True)
    settle(held, told)
    now = post.again(made.endpoint)
    assert (now.failures, now.failing_since) == (0, None)
