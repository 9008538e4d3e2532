"""Test how much of a wait was spent on a load."""

import pytest

from inference.workers.placement.loader import LoadTimes


@pytest.mark.parametrize(
    ("since_s", "until_s", "load_s"),
    [
        (0.0, 30.0, 10.0),
        (12.0, 30.0, 8.0),
        (0.0, 15.0, 5.0),
        (20.0, 30.0, 0.0),
        (0.0, 10.0, 0.0),
        (12.0, 13.0, 1.0),
    ],
)
def test_a_wait_shares_with_the_last_load_what_lies_in_both(since_s: float, until_s: float, load_s: float) -> None:
    now_s = iter((10.0, 20.0))
    times = LoadTimes(clock=lambda: next(now_s))
    with times.load("a@1"):
        pass
    assert times.within("a@1", since_s, until_s) == load_s
    assert times.within("b@1", since_s, until_s) == 0.0
