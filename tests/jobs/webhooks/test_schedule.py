from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.webhooks.schedule import (
    DELAYS_S,
    JITTER,
    LONGEST_RETRY_AFTER_S,
    Verdict,
    delay_s,
    is_down,
    lasting_failure,
    rest_s,
    retry_after,
    verdict,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_the_steps_are_those_of_the_specification() -> None:
    hours = [delay / 3600 for delay in DELAYS_S[4:]]
    assert (DELAYS_S[:4], hours) == ((0, 5, 300, 1800), [2, 5, 10, 14, 20, 24])


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_any_2xx_is_success(status: int) -> None:
    assert verdict(status=status, attempts=1, jitter=0) == Verdict(delivered=True)


@pytest.mark.parametrize("status", [None, 100, 199, 300, 301, 307, 400, 404, 429, 500, 503])
def test_nothing_else_is(status: int | None) -> None:
    assert verdict(status=status, attempts=1, jitter=0) == Verdict(again_in_s=5)


def test_410_ends_it_at_once() -> None:
    assert verdict(status=410, attempts=1, jitter=0) == Verdict(gone=True)


def test_the_tenth_failure_is_the_last() -> None:
    assert verdict(status=500, attempts=9, jitter=0).again_in_s == DELAYS_S[9]
    assert verdict(status=500, attempts=10, jitter=0) == Verdict()


def test_what_was_refused_here_is_not_tried_again() -> None:
    assert verdict(status=None, attempts=1, jitter=0, refused=True) == Verdict()


@given(st.integers(1, 9), st.floats(0, 1, exclude_max=True))
def test_jitter_only_ever_adds_and_not_much(attempts: int, jitter: float) -> None:
    assert DELAYS_S[attempts] <= delay_s(attempts, jitter) <= DELAYS_S[attempts] * (1 + JITTER)


@pytest.mark.parametrize(("asked_s", "waited_s"), [(1, 5), (90, 90), (10**9, LONGEST_RETRY_AFTER_S)])
def test_retry_after_is_heeded_within_bounds(asked_s: float, waited_s: float) -> None:
    assert verdict(status=503, attempts=1, jitter=0, retry_after_s=asked_s).again_in_s == waited_s


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120),
        ("9" * 400, 999_999_999),
        ("Fri, 02 Jan 2026 03:06:05 GMT", 120),
        ("Fri, 02 Jan 2026 03:00:05 GMT", 0),
        ("Fri, 02 Jan 2026 03:06:05 -0000", None),
        ("soon", None),
        ("-5", None),
        ("١٢", None),
    ],
)
def test_retry_after_is_read_in_both_its_forms(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_breaks_anything(header: str) -> None:
    seconds = retry_after(header, NOW)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("days", "given_up", "lasting"), [(3.2, 1, True), (3.1, 30, False), (50, 0, False), (5, 3, True)]
)
def test_as_long_as_a_message_is_tried_with_one_given_up_is_a_lasting_failure(
    days: float, given_up: int, lasting: bool
) -> None:
    assert lasting_failure(failing_for_s=days * 86_400, given_up=given_up) is lasting


@pytest.mark.parametrize(("failures", "lasting"), [(29, False), (30, True)])
def test_as_many_failures_in_a_row_over_many_messages_are_one_too(failures: int, lasting: bool) -> None:
    assert lasting_failure(failing_for_s=5 * 86_400, given_up=0, failures=failures) is lasting


@pytest.mark.parametrize(
    ("status", "down"),
    [(None, True), (500, True), (503, True), (429, True), (404, False), (301, False), (410, False)],
)
def test_a_server_that_answers_is_up_whatever_it_thinks_of_the_message(status: int | None, down: bool) -> None:
    assert is_down(status) is down


def test_the_fifth_failure_in_a_row_begins_a_rest_and_each_further_one_a_longer_one() -> None:
    rests = [rest_s(failures) for failures in range(1, 12)]
    assert rests[:5] == [0, 0, 0, 0, 30]
    assert rests[5:9] == [60, 120, 240, 480]
    assert rest_s(10_000) == rests[-1] == 600
