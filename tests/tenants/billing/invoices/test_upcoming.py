"""Tests of what `SlowResults` keeps, and for how long."""

from tenants.billing.invoices.calculation import Draft, Tax
from tenants.billing.invoices.upcoming import CAPACITY, SlowResults

MUCH = [Draft("EUR", (), Tax())]


def test_what_took_long_is_told_again_for_twenty_times_as_long() -> None:
    told = SlowResults()
    told.keep("a", MUCH, took_s=0.6, now_s=100.0)
    assert [told.find("a", now_s) for now_s in (100.0, 111.9, 112.1)] == [MUCH, MUCH, None]
    assert told.find("b", 100.0) is None


def test_what_was_quick_is_found_anew_and_what_was_slow_before_is_forgotten() -> None:
    told = SlowResults()
    told.keep("a", MUCH, took_s=0.6, now_s=100.0)
    told.keep("a", [], took_s=0.49, now_s=100.0)
    assert told.find("a", 100.0) is None


def test_nothing_is_told_for_longer_than_five_minutes_and_of_no_more_than_there_is_room_for() -> None:
    told = SlowResults()
    for number in range(CAPACITY + 1):
        told.keep(number, MUCH, took_s=60.0, now_s=0.0)
    assert (told.find(0, 0.0), told.find(1, 299.9), told.find(1, 300.0)) == (None, MUCH, None)
