from collections import Counter
from datetime import date, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from tenants.billing.ledger.check_scope import NEWEST_DAYS, PARTS, Open, tonight

DAYS = st.dates(date(2020, 1, 1), date(2040, 1, 1))


@given(DAYS, st.integers(0, 900), st.sets(st.uuids(), max_size=20))
def test_each_old_day_and_each_tenant_is_read_once_in_all_nights(today: date, age: int, tenants: set[UUID]) -> None:
    first = today - timedelta(days=age)
    nights = [tonight(today + timedelta(days=night), first, tenants, Open()) for night in range(PARTS)]
    days = Counter(day for scope in nights for day in scope.days or ())
    old = [first + timedelta(days=number) for number in range(age - NEWEST_DAYS)]
    assert all(days[day] >= 1 for day in old)
    assert all(days[day] == 1 for day in old if today - day > timedelta(days=PARTS))
    assert Counter(tenant for scope in nights for tenant in scope.tenants or ()) == Counter(tenants)


@given(DAYS, st.integers(0, 900))
def test_the_newest_days_are_read_every_night(today: date, age: int) -> None:
    scope = tonight(today, today - timedelta(days=age), (), Open())
    assert {today - timedelta(days=number) for number in range(NEWEST_DAYS)} <= set(scope.days or ())


@given(DAYS, DAYS, st.uuids(), st.uuids())
def test_what_differs_is_read_every_night(today: date, day: date, stored: UUID, holds: UUID) -> None:
    still = Open(frozenset({day}), frozenset({stored}), frozenset({holds}))
    scope = tonight(today, today, (), still)
    assert day in (scope.days or ())
    assert stored in (scope.tenants or ())
    assert scope.doubtful == (holds,)
