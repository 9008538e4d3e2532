"""Tests of how the several sums of a day become one once it is over, while uses of that day still come in."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connections

from tenants.billing.usage.models import UsageDay, UsageMonth, UsageRecord, UsageTotal
from tenants.billing.usage.settling import settle_days
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant

LONG_AGO = datetime(2026, 3, 5, 12, tzinfo=UTC)


def record(tenant_id: UUID, *, at: datetime = LONG_AGO, **fields: object) -> None:
    values: dict[str, object] = {
        "model": "parse",
        "meter": "page",
        "quantity": 2,
        "amount_micros": 30,
        "currency": "EUR",
    }
    values |= {"source_kind": "page", **fields}
    with unit_of_work(tenant_id):
        UsageRecord.objects.create(
            tenant_id=tenant_id,
            source_id=uuid4(),
            version=1,
            price={},
            created_at=at,
            **values,
        )


def elsewhere(work: Callable[[], object]) -> threading.Thread:
    """Begin the work on a connection of its own, whose sums are mostly in another shard."""

    def do() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=do)
    thread.start()
    return thread


def days(tenant_id: UUID) -> list[tuple[object, ...]]:
    columns = ("day", "key_id", "cached", "shard", "quantity", "amount_micros", "saved_micros", "records")
    with unit_of_work(tenant_id):
        return list(UsageDay.objects.order_by("day", "cached", "key_id", "shard").values_list(*columns))


def totals(tenant_id: UUID) -> list[tuple[object, ...]]:
    with unit_of_work(tenant_id):
        rows = UsageTotal.objects.order_by("day", "cached")
        return list(rows.values_list("day", "cached", "quantity", "amount_micros", "saved_micros", "records"))


def months(tenant_id: UUID) -> list[tuple[object, ...]]:
    with unit_of_work(tenant_id):
        rows = UsageMonth.objects.order_by("month", "key_id", "cached")
        return list(rows.values_list("month", "key_id", "cached", "quantity", "amount_micros", "records"))


@pytest.fixture
def tenant_id(tenant: CreatedTenant) -> UUID:
    return tenant.tenant.id


def test_sums_of_a_day_that_is_over_become_one_and_stay_true(tenant_id: UUID) -> None:
    key = uuid4()
    for _ in range(4):
        elsewhere(lambda: record(tenant_id, key_id=key)).join()
    record(tenant_id, key_id=key, cached=True, saved_micros=70)
    settle_days()
    day = LONG_AGO.date()
    expected = [
        (day, key, False, UsageDay.SETTLED, 8, 120, 0, 4),
        (day, key, True, UsageDay.SETTLED, 2, 30, 70, 1),
    ]
    assert days(tenant_id) == expected
    settle_days()
    assert days(tenant_id) == expected


def test_what_comes_late_is_added_to_a_settled_day(tenant_id: UUID) -> None:
    record(tenant_id)
    settle_days()
    record(tenant_id)
    settle_days()
    assert days(tenant_id) == [(LONG_AGO.date(), None, False, UsageDay.SETTLED, 4, 60, 0, 2)]


def test_a_settled_day_is_told_for_all_keys_together(tenant_id: UUID) -> None:
    for key_id in (uuid4(), uuid4(), None):
        record(tenant_id, key_id=key_id)
    record(tenant_id, key_id=uuid4(), cached=True, saved_micros=70)
    assert totals(tenant_id) == []
    settle_days()
    record(tenant_id, key_id=uuid4())
    settle_days()
    day = LONG_AGO.date()
    assert totals(tenant_id) == [(day, False, 8, 120, 0, 4), (day, True, 2, 30, 70, 1)]


def test_what_was_settled_before_there_were_totals_comes_into_them_once(tenant_id: UUID) -> None:
    """A scheduler of the previous version may still be running, and it settles into its own shard."""
    key = uuid4()
    record(tenant_id, key_id=key)
    settle_days()
    record(tenant_id, key_id=key)
    with unit_of_work(tenant_id):
        UsageDay.objects.filter(shard__lt=UsageDay.SETTLED).update(shard=48)
    settle_days()
    settle_days()
    assert days(tenant_id) == [(LONG_AGO.date(), key, False, UsageDay.SETTLED, 4, 60, 0, 2)]
    assert totals(tenant_id) == [(LONG_AGO.date(), False, 4, 60, 0, 2)]


def test_a_settled_day_is_told_in_its_month_for_each_key(tenant_id: UUID) -> None:
    key = uuid4()
    record(tenant_id, key_id=key)
    record(tenant_id, key_id=key, at=LONG_AGO + timedelta(days=20))
    record(tenant_id, at=LONG_AGO + timedelta(days=30))
    assert months(tenant_id) == []
    settle_days()
    record(tenant_id, key_id=key, cached=True)
    settle_days()
    march, april = date(2026, 3, 1), date(2026, 4, 1)
    assert months(tenant_id) == [
        (march, key, False, 4, 60, 2),
        (march, key, True, 2, 30, 1),
        (april, None, False, 2, 30, 1),
    ]


def test_what_was_settled_before_there_were_months_comes_into_them_once_and_into_no_total_again(
    tenant_id: UUID,
) -> None:
    key = uuid4()
    record(tenant_id, key_id=key)
    settle_days()
    with unit_of_work(tenant_id):
        UsageMonth.objects.all().delete()
        UsageDay.objects.update(shard=UsageDay.TOTALLED)
    record(tenant_id, key_id=key)
    for _ in range(2):
        settle_days()
    day = LONG_AGO.date()
    assert days(tenant_id) == [(day, key, False, UsageDay.SETTLED, 4, 60, 0, 2)]
    assert totals(tenant_id) == [(day, False, 4, 60, 0, 2)]
    assert months(tenant_id) == [(date(2026, 3, 1), key, False, 4, 60, 2)]


def test_the_day_that_goes_on_is_left_alone(tenant_id: UUID) -> None:
    now = datetime.now(UTC) + timedelta(minutes=2)  # Midnight must not come in between.
    record(tenant_id, at=now)
    settle_days()
    ((*_, shard, _quantity, _amount, _saved, _records),) = days(tenant_id)
    assert isinstance(shard, int)
    assert 32 <= shard < UsageDay.SETTLED


def test_a_sum_that_is_being_written_is_settled_another_time(tenant_id: UUID) -> None:
    record(tenant_id)
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT FROM tenants_usageday WHERE tenant_id = %s FOR UPDATE", [tenant_id])
        elsewhere(settle_days).join()
        cursor.execute("ROLLBACK")
    ((_, _, _, shard, *_),) = days(tenant_id)
    assert shard != UsageDay.SETTLED
    settle_days()
    ((_, _, _, shard, *_),) = days(tenant_id)
    assert shard == UsageDay.SETTLED


def test_writers_and_settlers_at_once_lose_nothing(tenant_id: UUID) -> None:
    done = threading.Event()

    def write() -> None:
        for _ in range(40):
            record(tenant_id)

    def settle() -> None:
        while not done.is_set():
            settle_days()

    writers = [elsewhere(write) for _ in range(4)]
    settlers = [elsewhere(settle) for _ in range(2)]
    for thread in writers:
        thread.join()
    done.set()
    for thread in settlers:
        thread.join()
    settle_days()
    assert days(tenant_id) == [(LONG_AGO.date(), None, False, UsageDay.SETTLED, 320, 4800, 0, 160)]
    assert totals(tenant_id) == [(LONG_AGO.date(), False, 320, 4800, 0, 160)]
    assert months(tenant_id) == [(date(2026, 3, 1), None, False, 320, 4800, 160)]
