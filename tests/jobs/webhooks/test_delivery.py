"""From a job's end to an answer: through the database and a real receiver."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.utils import timezone

from jobs.errors import InvalidRequest, NotFound
from jobs.models import WebhookEndpoint
from jobs.services import cancel_job, retry_job
from jobs.webhooks import services
from jobs.webhooks.claims import LEASE_S, LOCK_ID, Walk, take_due
from jobs.webhooks.errors import WebhookDisabled
from jobs.webhooks.lanes import PER_ENDPOINT, WIDEST
from jobs.webhooks.schedule import DELAYS_S
from jobs.webhooks.sending import attempt, signed
from jobs.webhooks.settlement import FAST_MS, SLOW_MS, settle
from jobs.webhooks.upkeep import end_stranded_deliveries
from tenants.context import APP, OPERATOR, unit_of_work
from tenants.identity import Identity

from .conftest import Post, Receiver

State = WebhookEndpoint.State


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
    assert (logged.number, logged.status, logged.answer, logged.error_code) == (1, 200, "thanks", "")
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


def test_a_pause_that_is_asked_for_because_of_one_message_holds_that_one_alone(
    post: Post, receiver: Receiver
) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status, receiver.headers = 404, {"retry-after": "120"}
    post.send_due()
    post.ended_job()
    assert len(post.taken()) == 1


def test_the_tenth_failure_ends_it(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status = 500
    for _ in range(12):
        _end_rest(post)
        post.send_due()
    assert len(receiver.got) == 10
    delivery = post.delivery()
    assert (delivery.state, delivery.error_code, delivery.attempts_made) == ("failed", "status_500", 10)


def test_an_endpoint_whose_server_is_down_is_left_alone_and_then_probed_by_one(
    post: Post, receiver: Receiver
) -> None:
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
    _end_rest(post)
    (probe,) = post.taken()
    assert post.taken() == []
    settle(probe, attempt(signed(probe)))
    assert (post.taken(), len(receiver.got)) == ([], failed + 1)
    receiver.status = 200
    _end_rest(post)
    assert post.send_due() == 1
    assert post.again(made.endpoint).rests_until is None
    while post.send_due():
        pass
    assert {one.state for one in post.deliveries()} == {"delivered"}


def _end_rest(post: Post) -> None:
    post.make_due()
    post.sql("UPDATE jobs_webhookendpoint SET rests_until = clock_timestamp() WHERE rests_until IS NOT NULL")


@pytest.mark.parametrize("status", [404, 302])
def test_a_server_that_refuses_what_it_is_sent_is_not_left_alone(
    post: Post, receiver: Receiver, status: int
) -> None:
    post.endpoint(receiver)
    receiver.status = status
    post.ended_job()
    for _ in range(7):
        post.make_due()
        assert post.send_due() == 1


@pytest.mark.parametrize("by_hand", ["test", "replay", "enable"])
def test_who_asks_by_hand_is_not_made_to_wait_for_a_rest_to_end(
    post: Post, receiver: Receiver, by_hand: str
) -> None:
    endpoint_id, identity = post.endpoint(receiver).endpoint.id, post.desk.identity
    post.ended_job()
    (first,) = post.deliveries()
    post.ended_job()
    post.sql(
        "UPDATE jobs_webhookendpoint SET failures = 7, rests_until = clock_timestamp() + interval '9 min',"
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
    rests_until = post.again(made.endpoint).rests_until
    settle(second, attempt(signed(second)))
    endpoint = post.again(made.endpoint)
    assert (endpoint.failures, endpoint.rests_until) == (5, rests_until)


def test_a_replay_during_the_tenth_attempt_outlives_its_failure(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.status = 500
    for _ in range(9):
        _end_rest(post)
        post.send_due()
    _end_rest(post)
    (tenth,) = post.taken()
    services.replay_delivery(identity=post.desk.identity, delivery_id=post.delivery().id)
    settle(tenth, attempt(signed(tenth)))
    assert (post.delivery().state, post.delivery().step) == ("pending", 1)
    assert 4 < post.seconds_to_next() < 6


def test_an_endpoint_that_answers_fast_may_have_more_at_once_until_it_fails(
    post: Post, receiver: Receiver
) -> None:
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
    settle(held, replace(attempt(signed(held)), took_ms=SLOW_MS + 1))
    assert post.again(made.endpoint).width == 4


@pytest.mark.parametrize("took_ms", [FAST_MS - 1, FAST_MS + 1, SLOW_MS + 1])
def test_an_endpoint_that_failed_once_has_its_width_back_when_it_answers_however_fast(
    post: Post, receiver: Receiver, took_ms: int
) -> None:
    made = post.endpoint(receiver)
    receiver.status = 500
    post.ended_job()
    post.send_due()
    assert post.again(made.endpoint).width == 1
    receiver.status = 200
    post.make_due()
    (held,) = post.taken()
    settle(held, replace(attempt(signed(held)), took_ms=took_ms))
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


def test_another_address_begins_with_a_clean_slate(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    post.sql(
        "UPDATE jobs_webhookendpoint SET failing_since = clock_timestamp() - interval '9 days', given_up = 9 WHERE true"
    )
    changed = services.change_endpoint(
        identity=post.desk.identity, endpoint_id=made.endpoint.id, url=f"{receiver.url}/new"
    )
    assert (changed.failing_since, changed.given_up) == (None, 0)
    same = services.change_endpoint(
        identity=post.desk.identity, endpoint_id=made.endpoint.id, url=changed.url
    )
    assert same.url == changed.url


def test_one_message_that_was_tried_to_the_last_disables_an_endpoint_that_took_nothing_meanwhile(
    post: Post, receiver: Receiver
) -> None:
    """However little it is told: nobody else would tell its owner."""
    made = post.endpoint(receiver)
    post.ended_job()
    receiver.status = 500
    for delay_s in [*DELAYS_S[1:], None]:
        assert post.again(made.endpoint).state == State.ENABLED
        _end_rest(post)
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


def test_nobody_there_is_a_failure_with_a_reason(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.close()
    post.send_due()
    (logged,) = post.attempts()
    assert (logged.status, bool(logged.error_code), bool(logged.detail)) == (None, True, True)
    assert post.delivery().state == "pending"


def test_an_answer_that_is_long_or_binary_is_kept_in_part(post: Post, receiver: Receiver) -> None:
    post.endpoint(receiver)
    post.ended_job()
    receiver.answer = b"\0\xff" * 5000
    post.send_due()
    (logged,) = post.attempts()
    assert len(logged.answer) == 2048
    assert "\0" not in logged.answer


def test_while_a_secret_is_rotated_both_sign(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    rotated = services.rotate_secret(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    post.ended_job()
    post.send_due()
    (got,) = receiver.got
    assert got.is_signed_with(made.secret)
    assert got.is_signed_with(rotated.secret)
    assert len(got.headers["webhook-signature"].split(" ")) == 2


def test_a_day_later_only_the_new_secret_signs(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    rotated = services.rotate_secret(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    post.sql(
        "UPDATE jobs_webhooksecret SET ends_at = ends_at - interval '24 hours' WHERE ends_at IS NOT NULL"
    )
    post.ended_job()
    post.send_due()
    (got,) = receiver.got
    assert (got.is_signed_with(made.secret), got.is_signed_with(rotated.secret)) == (False, True)


def test_a_third_secret_ends_the_first_at_once(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    for _ in range(2):
        services.rotate_secret(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    post.ended_job()
    post.send_due()
    (got,) = receiver.got
    assert not got.is_signed_with(made.secret)


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
    with pytest.raises(InvalidRequest, match="must lie before"):
        services.replay_range(**asked, since=now, until=between)


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


def test_a_job_that_ends_while_its_endpoint_is_deleted_ends_all_the_same(
    post: Post, receiver: Receiver
) -> None:
    made = post.endpoint(receiver)
    job = post.desk.submit()
    with unit_of_work(post.desk.identity.tenant_id), transaction.atomic(using=APP):
        cancel_job(identity=post.desk.identity, job_id=job.id)
        services.delete_endpoint(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    assert post.desk.again(job).state == "canceled"
    assert post.send_due() == 0
    with pytest.raises(NotFound):
        services.send_test(identity=post.desk.identity, endpoint_id=made.endpoint.id)


def test_a_jobs_own_address_is_told_and_signed_with_the_tenants_secret(
    post: Post, receiver: Receiver
) -> None:
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
