"""Test that the time of a run is divided so that none of it is lost, charged twice or charged to the wrong caller."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.device_time import charged_ms, run_us, shared_out

WEIGHTS = st.lists(st.integers(1, 10_000), min_size=1, max_size=64)


@given(st.integers(0, 10**9), WEIGHTS)
def test_the_shares_of_a_run_are_the_whole_run(whole_us: int, weights: list[int]) -> None:
    shares = shared_out(whole_us, weights)
    assert (len(shares), sum(shares)) == (len(weights), whole_us)


@given(st.floats(0, 60), WEIGHTS)
def test_whatever_ran_has_a_share_like_its_weight(seconds: float, weights: list[int]) -> None:
    whole_us = run_us(seconds, len(weights))
    above, total = whole_us - len(weights), sum(weights)
    for share, weight in zip(shared_out(whole_us, weights), weights, strict=True):
        assert share >= 1
        assert abs(share - 1 - Fraction(above * weight, total)) < 1


@pytest.mark.parametrize(("device_us", "ms"), [(0, 0), (1, 1), (499, 1), (1_499, 1), (1_500, 2), (2_000_400, 2_000)])
def test_milliseconds_are_rounded_and_at_least_one_of_what_ran(device_us: int, ms: int) -> None:
    assert charged_ms(device_us) == ms
