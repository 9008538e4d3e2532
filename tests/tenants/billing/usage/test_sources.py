"""Tests of which months a query takes as wholes, and in which parts a long period is read."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.billing.usage.sources import whole_months, windows

TODAY = date(2026, 11, 23)
DAYS = st.dates(date(2025, 1, 1), date(2027, 3, 1))


@pytest.mark.parametrize(
    ("start", "end", "since", "until"),
    [
        (date(2025, 11, 1), date(2026, 11, 1), date(2025, 11, 1), date(2026, 11, 1)),
        (date(2026, 1, 2), date(2026, 3, 31), date(2026, 2, 1), date(2026, 3, 1)),
        (date(2026, 1, 2), date(2026, 1, 31), date(2026, 1, 31), date(2026, 1, 31)),
        # The current month is whole until tomorrow, and not until today: today's last minute may be over elsewhere.
        (date(2026, 10, 1), date(2026, 11, 24), date(2026, 10, 1), date(2026, 12, 1)),
        (date(2026, 10, 1), date(2026, 11, 23), date(2026, 10, 1), date(2026, 11, 1)),
    ],
)
def test_months_that_lie_within_the_time_are_whole(start: date, end: date, since: date, until: date) -> None:
    assert whole_months(start, end, TODAY) == (since, until)


@given(start=DAYS, end=DAYS)
def test_no_day_that_is_over_is_in_a_whole_month_and_not_asked_for(start: date, end: date) -> None:
    if start >= end:
        return
    since, until = whole_months(start, end, TODAY)
    assert start <= since <= until
    assert since == until or (since.day == until.day == 1)
    assert until <= end or end > TODAY


@given(start=DAYS, days=st.integers(1, 1100), first=st.integers(1, 40))
def test_the_parts_of_a_time_are_the_whole_of_it(start: date, days: int, first: int) -> None:
    since = datetime(start.year, start.month, start.day, tzinfo=UTC)
    until = since + timedelta(days=days)
    parts = windows(since, until, first)
    assert (parts[0][0], parts[-1][1]) == (since, until)
    assert all(one[1] == other[0] for one, other in pairwise(parts))
    assert parts[0][1] - parts[0][0] == timedelta(days=min(first, days))
