"""Tests that waits are separated by whether another fault was active, and summed up correctly."""

import pytest

from .recovery import Span, Waited, describe, is_alone, percentile

pytestmark = pytest.mark.long


def test_a_wait_is_alone_unless_another_fault_was_there_or_healing() -> None:
    assert is_alone(100, 104, [Span(80, 90), Span(105, 106)], heals_s=8)
    assert not is_alone(100, 104, [Span(101, 101)], heals_s=8)
    assert not is_alone(100, 104, [Span(90, 95)], heals_s=8)
    assert not is_alone(100, 104, [Span(90, 120)], heals_s=8)


def test_the_percentile_is_a_value_that_was_seen() -> None:
    values = [float(number) for number in range(1, 101)]
    assert (percentile(values, 0.5), percentile(values, 0.99), percentile([3.0], 0.99)) == (50, 99, 3)


def test_both_sums_are_told_and_none_where_none_was() -> None:
    told = describe([Waited(2.0, alone=True), Waited(9.0, alone=False)], lease_s=3)
    assert ["2.0 s" in told[0], "9.0 s" in told[1]] == [True, True]
    assert describe([], lease_s=3) == ["pages of killed workers: none was in hand"]
