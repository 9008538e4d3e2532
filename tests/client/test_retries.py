import pytest

from maas_client.errors import (
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    MaasError,
    RateLimited,
    Unavailable,
)
from maas_client.retries import LONGEST_S, MAX_PATIENT_S, Retries, backoff_s


def unavailable(status: int, retry_after_s: float | None = None) -> MaasError:
    return Unavailable("busy", code="x", status=status, retry_after_s=retry_after_s)


def limited(retry_after_s: float | None) -> MaasError:
    return RateLimited("slowly", code="x", status=429, request_id="", retry_after_s=retry_after_s)


def delay_s(error: MaasError, *, tried: int = 0, jitter: float = 1.0) -> float | None:
    return Retries(3).delay_s(tried, error, jitter=jitter)


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (unavailable(502), True),
        (unavailable(503), True),
        (unavailable(504), True),
        (unavailable(500), False),
        (unavailable(507), False),
        (limited(None), True),
        (ConnectionFailed("cut"), True),
        (ConnectionFailed("nobody there", unsent=True), True),
        (InvalidRequest("wrong", code="x", status=422), False),
        (Conflict("the first is at work", code="request_in_progress", status=409), True),
        (Conflict("it has ended", code="job_finished", status=409), False),
    ],
    ids=str,
)
def test_what_may_pass_is_tried_again(error: MaasError, again: bool) -> None:
    assert (delay_s(error) is not None) is again


def test_who_is_told_that_the_first_is_at_work_comes_again_when_told_to() -> None:
    at_work = Conflict("the first is at work", code="request_in_progress", retry_after_s=1)
    assert delay_s(at_work, jitter=0.0) == 1


def test_attempts_are_counted() -> None:
    assert delay_s(unavailable(503), tried=2) is not None
    assert delay_s(unavailable(503), tried=3) is None


def test_the_pauses_double_up_to_a_bound_and_are_spread() -> None:
    assert [backoff_s(tried, 1.0) for tried in range(6)] == [0.5, 1.0, 2.0, 4.0, 8.0, LONGEST_S]
    assert backoff_s(2, 0.0) == 1.0


def test_never_sooner_than_asked_and_not_at_all_when_that_is_too_long() -> None:
    assert delay_s(limited(7), jitter=0.0) == 7
    assert delay_s(unavailable(503, 7), jitter=1.0) == 7 * 1.25
    assert delay_s(limited(MAX_PATIENT_S + 1)) is None
