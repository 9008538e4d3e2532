"""The arithmetic of one bucket."""

from hypothesis import given
from hypothesis import strategies as st

from tenants.core.token_bucket import WINDOW_US, Bucket

limits = st.integers(1, 1_000_000)
moments = st.integers(0, 10 * WINDOW_US)


@given(limits, moments)
def test_a_bucket_that_nobody_used_holds_the_limit_and_no_more(limit: int, now_us: int) -> None:
    assert Bucket().available(limit, now_us) == limit


@given(limits, st.integers(1, 1_000), moments)
def test_what_is_taken_is_there_no_more_and_comes_back_in_its_time(limit: int, count: int, now_us: int) -> None:
    bucket = Bucket().without(count, limit, now_us)
    assert bucket.available(limit, now_us) == limit - count
    later_us = max(now_us, bucket.full_at_us)
    assert bucket.available(limit, later_us) == limit


@given(limits, st.integers(1, 1_000), moments)
def test_after_the_wait_that_was_told_there_is_enough_and_not_before(limit: int, count: int, now_us: int) -> None:
    bucket = Bucket().without(limit + count, limit, now_us)
    wait_us = bucket.wait_us(1, limit, now_us)
    assert bucket.available(limit, now_us + wait_us) >= 1
    assert bucket.available(limit, now_us + wait_us - 1) < 1


@given(limits, st.integers(1, 1_000), moments)
def test_what_is_given_back_is_never_more_than_the_limit(limit: int, count: int, now_us: int) -> None:
    bucket = Bucket().without(1, limit, now_us).given_back(count, limit, now_us)
    assert bucket.available(limit, now_us) <= limit


@given(limits, st.integers(1, 5_000_000), moments)
def test_what_is_taken_of_what_there_is_leaves_no_debt(limit: int, count: int, now_us: int) -> None:
    assert Bucket().without_at_most(count, limit, now_us).available(limit, now_us) == max(0, limit - count)


@given(limits, limits, st.integers(0, 100), moments)
def test_a_changed_limit_keeps_the_part_that_is_left(old: int, new: int, percent: int, now_us: int) -> None:
    bucket = Bucket().without(old * percent // 100, old, now_us)
    part_before = bucket.available(old, now_us) / old
    part_after = bucket.available(new, now_us) / new
    assert abs(part_before - part_after) <= 1 / old + 1 / new
