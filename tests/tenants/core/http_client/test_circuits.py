"""Endpoints that fail are left alone, each for itself."""

from dataclasses import dataclass

import pytest

from tenants.core.http_client import circuits
from tenants.core.http_client.breaker import FIRST_REST_S, MAX_FAILURES
from tenants.core.http_client.circuits import Circuits
from tenants.core.http_client.errors import EgressFailed, EgressRefused


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


def fail(known: Circuits, endpoint: str, times: int = MAX_FAILURES) -> None:
    for _ in range(times):
        with pytest.raises(EgressFailed, match="dead"), known.of(endpoint):
            raise EgressFailed("connection_failed", "dead")


def rests(known: Circuits, endpoint: str) -> bool:
    try:
        with known.of(endpoint):
            return False
    except EgressFailed as failed:
        return failed.code == "endpoint_paused"


def test_one_endpoint_that_fails_leaves_the_others_as_they_are() -> None:
    known = Circuits(Clock())
    fail(known, "dead")
    assert rests(known, "dead")
    assert not rests(known, "alive")


def test_it_says_when_to_come_again() -> None:
    clock = Clock()
    known = Circuits(clock)
    fail(known, "dead")
    clock.now_s = 10.5
    with pytest.raises(EgressFailed) as failed, known.of("dead"):
        pass
    assert failed.value.extra["retry_after_s"] == FIRST_REST_S - 10


def test_a_refusal_is_no_failure_of_the_endpoint() -> None:
    known = Circuits(Clock())
    for _ in range(2 * MAX_FAILURES):
        with pytest.raises(EgressRefused), known.of("one"):
            raise EgressRefused("url_not_allowed", "not that")
    assert not rests(known, "one")


def test_one_probe_goes_through_and_its_answer_opens_the_way() -> None:
    clock = Clock()
    known = Circuits(clock)
    fail(known, "back")
    clock.now_s = FIRST_REST_S
    assert [rests(known, "back") for _ in range(3)] == [False, True, True]
    known.succeeded("back")
    assert not rests(known, "back")


def test_what_is_remembered_is_bounded_and_the_longest_ago_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(circuits, "MAX_REMEMBERED", 3)
    known = Circuits(Clock())
    for endpoint in "abcd":
        fail(known, endpoint)
    assert [rests(known, endpoint) for endpoint in "abcd"] == [False, True, True, True]
