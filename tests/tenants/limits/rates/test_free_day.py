"""Tests of what test keys may do in a day."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.conf import LazySettings, settings

from tenants.limits.rates.free_day import AllowanceSpent, FreeDay

EVENING = datetime(2027, 3, 1, 23, 59, 30, 500_000, tzinfo=UTC)
NEXT_DAY = datetime(2027, 3, 2, 0, 0, 1, tzinfo=UTC)


@pytest.fixture
def day(settings: LazySettings) -> FreeDay:
    settings.MAAS_TEST_PAGES_A_DAY = 10
    return FreeDay(settings.MAAS_REDIS_URL)


def test_a_day_holds_so_many_and_says_when_the_next_begins(day: FreeDay) -> None:
    tenant_id = uuid4()
    day.spend(tenant_id, "pages", 7, EVENING)
    with pytest.raises(AllowanceSpent, match="10 pages a day") as refused:
        day.spend(tenant_id, "pages", 4, EVENING)
    assert refused.value.extra["retry_after_s"] == 30
    day.spend(tenant_id, "pages", 3, EVENING)
    day.spend(tenant_id, "pages", 10, NEXT_DAY)


def test_what_is_refused_is_not_spent_and_what_failed_is_given_back(day: FreeDay) -> None:
    tenant_id = uuid4()
    for _ in range(3):
        with pytest.raises(AllowanceSpent):
            day.spend(tenant_id, "pages", 11, EVENING)
    day.spend(tenant_id, "pages", 10, EVENING)
    day.give_back(tenant_id, "pages", 10, EVENING)
    day.spend(tenant_id, "pages", 10, EVENING)


def test_accounts_and_kinds_are_apart(day: FreeDay) -> None:
    tenant_id = uuid4()
    day.spend(tenant_id, "pages", 10, EVENING)
    day.spend(uuid4(), "pages", 10, EVENING)
    day.spend(tenant_id, "calls", 10, EVENING)


def test_zero_is_unlimited(day: FreeDay, settings: LazySettings) -> None:
    settings.MAAS_TEST_PAGES_A_DAY = 0
    day.spend(uuid4(), "pages", 10**6, EVENING)


def test_nobody_is_refused_because_redis_is_away() -> None:
    away = FreeDay("redis://127.0.0.1:1/0")
    away.spend(uuid4(), "pages", settings.MAAS_TEST_PAGES_A_DAY + 1, EVENING)
