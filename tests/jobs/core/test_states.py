import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.core import states
from jobs.core.states import Tally, closing_state, poll_again_after_s, retry_delay_s


@pytest.mark.parametrize(
    ("tally", "state"),
    [
        (Tally(3, 3, 0), states.SUCCEEDED),
        (Tally(3, 2, 1), states.PARTIALLY_SUCCEEDED),
        (Tally(3, 0, 3), states.FAILED),
        (Tally(3, 2, 0), None),
        (Tally(3, 0, 0), None),
    ],
)
def test_a_job_ends_as_its_pages_did(tally: Tally, state: str | None) -> None:
    assert closing_state(tally) == state


@given(st.integers(1, 10), st.floats(0, 1))
def test_retries_back_off_but_never_beyond_75_seconds(attempt: int, jitter: float) -> None:
    delay_s = retry_delay_s(attempt, jitter)
    assert min(60.0, 4.0 ** (attempt - 1)) <= delay_s <= 75


@given(st.floats(0, 10**6), st.floats(0, 10**6))
def test_an_older_job_is_never_polled_more_often(one: float, two: float) -> None:
    younger, older = sorted((one, two))
    assert poll_again_after_s(younger) <= poll_again_after_s(older)
