"""Tests of publishing while the broker is there and does not respond."""

import threading

import pytest

from inference.workers.brokers import BrokerUnavailable
from jobs.core import states
from jobs.core.models import Job
from jobs.events.broker import broker_server, pages_waiting, publishing_broker, with_long_timeout
from tests.jobs.conftest import Desk


def test_once_it_has_not_answered_nobody_waits_for_it_again(hanging_broker: None) -> None:
    with pytest.raises(BrokerUnavailable, match="could not be counted"):
        pages_waiting("infer.a@1")
    # The pause would be too short for so many calls if each of them waited.
    for number in range(1000):
        with pytest.raises(BrokerUnavailable, match="was not asked"):
            pages_waiting(f"infer.b@{number}")


def test_a_duty_may_wait_for_longer_than_a_request() -> None:
    with with_long_timeout():
        assert pages_waiting("infer.none@1") == 0
    assert pages_waiting("infer.none@1") == 0
    assert publishing_broker(None) is not publishing_broker()
    broker_server.cache_clear()


def test_a_broker_and_a_redis_that_hang_do_not_hold_up_whoever_submits(
    desk: Desk, hanging_broker: None, hanging_redis: None
) -> None:
    accepted: list[Job] = []
    submitting = threading.Thread(target=lambda: accepted.extend(desk.submit() for _ in range(5)), daemon=True)
    submitting.start()
    # A single submission would take half a minute with the tries and pauses of the clients.
    submitting.join(15)
    assert [job.state for job in accepted] == [states.QUEUED] * 5
