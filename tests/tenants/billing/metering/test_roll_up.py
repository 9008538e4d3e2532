"""Tests that each use counts once, for its own day, whatever is repeated, dies or is invalid."""

import asyncio
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
import redis
from django.db import OperationalError, connections
from django.db.models import Count, Sum
from prometheus_client import REGISTRY
from pytest_django import Settings

from tenants.accounts.models import Tenant
from tenants.billing.metering import roll_up as rolling
from tenants.billing.metering.events import MeterEvent, write_event
from tenants.billing.metering.keys import FIELD, REASON, STREAM
from tenants.billing.metering.roll_up import (
    Backlog,
    count,
    durable_redis,
    recount_set_aside,
    rest_s,
    roll_up,
    roll_up_uses,
)
from tenants.billing.metering.stream import MeterStream
from tenants.billing.usage.models import UsageDay, UsageRecord
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.prices import Price
from tests.inference.rpc.mortal import MortalRedis
from tests.tenants.billing.metering.conftest import MakeEvent, Sums, by_day, entries, put, recorded, sums_of
from tests.waiting import eventually

REASONS = ("unreadable", "unknown_tenant", "refused")


class Leader:
    """A thread that does some work, with connections of its own."""

    def __init__(self, do: Callable[[], object]) -> None:
        self._do = do
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._do()
        except BaseException as error:
            self.error = error
        finally:
            connections.close_all()

    def join(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()
        assert self.error is None, self.error


def as_owner(statement: str, *arguments: int) -> list[tuple[object, ...]]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement, arguments)
        return cursor.fetchall() if cursor.description else []


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@contextmanager
def being_recorded_elsewhere(event: MeterEvent) -> Iterator[None]:
    """Record the use in a transaction that is rolled back at last. Other recorders of the use wait for it."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(
            "INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version,"
            " quantity, price, amount_micros, currency, livemode, created_at)"
            " VALUES (%s, %s, 'call', %s, 'token', 'embed', 1, 1, '{}', 1, 'EUR', true, now())",
            [event.id, event.tenant_id, event.id],
        )
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def one_that_waits() -> int:
    """Return the process ID of the connection that waits for a lock, once there is one."""
    statement = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    return int(str(eventually(lambda: as_owner(statement), "somebody waits for the lock")[0][0]))


def test_ten_thousand_uses_by_many_callers_and_two_leaders_come_to_what_python_says(
    waiting: Backlog,
    make_event: MakeEvent,
    other_tenant: CreatedTenant,
    settings: Settings,
) -> None:
    url = settings.MAAS_REDIS_URL
    dice = random.Random(1)
    prices = [Price("token", 137, 1000, "EUR"), Price("call", 1500, 1, "EUR"), Price("page", 7, 3, "EUR")]
    other_id = other_tenant.tenant.id
    of_one = [make_event(quantity=dice.randrange(10_000), price=dice.choice(prices)) for _ in range(7_000)]
    of_other = [make_event(tenant_id=other_id, quantity=number) for number in range(3_000)]
    all_events = of_one + of_other
    dice.shuffle(all_events)
    share = iter(all_events)

    async def call(stream: MeterStream) -> None:
        for event in share:
            await stream.add(event)

    async def call_all() -> None:
        stream = MeterStream(url)
        await asyncio.gather(*(call(stream) for _ in range(64)))
        await stream.close()

    ended = threading.Event()

    def lead() -> None:
        while not ended.is_set() or waiting.length():
            roll_up(waiting)

    leaders = [Leader(lead), Leader(lead)]
    asyncio.run(call_all())
    ended.set()
    for leader in leaders:
        leader.join()
    for tenant_id, events in ((of_one[0].tenant_id, of_one), (other_id, of_other)):
        assert recorded(tenant_id) == sums_of(events)
        assert list(by_day(tenant_id).values()) == [sums_of(events)]


def test_a_use_written_three_times_counts_once(waiting: Backlog, aside: Backlog, make_event: MakeEvent) -> None:
    event = make_event()
    put(event, event, make_event())
    roll_up(waiting)
    put(event)
    roll_up(waiting)
    assert recorded(event.tenant_id).records == 2
    assert waiting.length() == aside.length() == 0


def test_what_was_committed_and_not_taken_out_is_counted_once(waiting: Backlog, make_event: MakeEvent) -> None:
    made = [make_event() for _ in range(5)]
    put(*made)
    killed_here = count(entries(waiting))
    assert len(killed_here.done) == waiting.length() == 5
    put(make_event())
    roll_up(waiting)
    assert recorded(made[0].tenant_id).records == 6
    assert waiting.length() == 0


def test_more_than_a_batch_is_taken_in_one_look(
    waiting: Backlog, make_event: MakeEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rolling, "BATCH", 10)
    monkeypatch.setattr(rolling, "AT_ONCE", 5)
    made = [make_event() for _ in range(25)]
    put(*made)
    assert roll_up(waiting) == 25
    assert recorded(made[0].tenant_id) == sums_of(made)


def test_a_late_use_counts_to_its_own_day_with_the_amount_of_its_own_price(
    waiting: Backlog, make_event: MakeEvent
) -> None:
    last_ms = int(datetime(2026, 10, 31, 23, 59, 59, 999_000, tzinfo=UTC).timestamp() * 1000)
    price = Price("call", 1500, 1, "EUR")
    put(
        make_event(quantity=2, price=price, at_ms=last_ms),
        make_event(at_ms=last_ms + 1),
        make_event(),
    )
    roll_up(waiting)
    assert by_day(make_event().tenant_id) == {
        date(2026, 10, 31): Sums(1, 2, 3000),
        date(2026, 11, 1): Sums(1, 7, 70),
        date(2026, 11, 20): Sums(1, 7, 70),
    }


def test_uses_of_test_keys_are_counted_and_cost_nothing(waiting: Backlog, make_event: MakeEvent) -> None:
    event = make_event(livemode=False)
    put(event)
    roll_up(waiting)
    assert recorded(event.tenant_id) == Sums(1, 7, 0)


def test_bad_uses_are_set_aside_with_their_reasons_and_hold_up_no_other(
    waiting: Backlog, aside: Backlog, make_event: MakeEvent
) -> None:
    nobody, too_long = make_event(tenant_id=uuid4()), make_event(model="m" * 101)
    good = [make_event() for _ in range(20)]
    put(b"?", *good[:7], nobody, *good[7:], too_long)
    durable_redis().xadd(STREAM, {"other": "field"})
    before = [sample("maas_meter_quarantined_total", reason=reason) for reason in REASONS]
    rolled_up = sample("maas_meter_rolled_up_total")
    roll_up(waiting)
    assert sample("maas_meter_rolled_up_total") == rolled_up + 20
    after = [sample("maas_meter_quarantined_total", reason=reason) for reason in REASONS]
    assert [now - then for now, then in zip(after, before, strict=True)] == [2, 1, 1]
    assert recorded(good[0].tenant_id) == sums_of(good)
    assert waiting.length() == 0
    reasons = {entry.fields.get(FIELD): entry.fields[REASON].decode() for entry in entries(aside)}
    assert reasons[write_event(nobody)] == f"unknown tenant {nobody.tenant_id}"
    assert reasons[write_event(too_long)].startswith("Postgres rejected it: value too long")
    assert reasons[b"?"] == "it is of format 63, and this version of the product reads 3"
    assert reasons[None] == "the entry has no event"
    assert {b"other", REASON} in [entry.fields.keys() for entry in entries(aside)]


def test_what_was_set_aside_counts_once_its_cause_is_mended(
    waiting: Backlog, aside: Backlog, make_event: MakeEvent
) -> None:
    tenant_id = uuid4()
    made = [make_event(tenant_id=tenant_id) for _ in range(3)]
    put(*made, b"?")
    roll_up(waiting)
    recount_set_aside()
    assert aside.length() == 4
    with operator_work():
        Tenant.objects.create(id=tenant_id, name="late")
    recount_set_aside()
    recount_set_aside()
    assert recorded(tenant_id) == sums_of(made)
    assert [entry.fields[FIELD] for entry in entries(aside)] == [b"?"]


def test_uses_wait_while_postgres_is_away_and_count_afterwards(waiting: Backlog, make_event: MakeEvent) -> None:
    put(make_event(), make_event())

    def without_postgres() -> None:
        own = connections[APP]  # It belongs to this thread.
        own.settings_dict = {**own.settings_dict, "HOST": "/nowhere"}
        roll_up_uses()
        with pytest.raises(OperationalError):
            roll_up(waiting)

    Leader(without_postgres).join()
    assert waiting.length() == 2
    roll_up_uses()
    assert recorded(make_event().tenant_id).records == 2


def test_uses_wait_while_redis_is_away_and_count_once_afterwards(mortal: MortalRedis, make_event: MakeEvent) -> None:
    with redis.Redis.from_url(mortal.url, socket_timeout=0.2) as client:
        waiting = Backlog(client, STREAM)
        put(make_event(), make_event(), client=client)
        counted = count(entries(waiting))
        mortal.freeze()
        with pytest.raises(redis.RedisError):
            waiting.remove(counted.done)
        with pytest.raises(redis.RedisError):
            roll_up(waiting)
        mortal.thaw()
        roll_up(waiting)
        assert waiting.length() == 0
    assert recorded(make_event().tenant_id).records == 2


def test_redis_away_is_no_failure_of_the_scheduler(settings: Settings) -> None:
    settings.MAAS_REDIS_URL = "redis://127.0.0.1:1/0"
    durable_redis.cache_clear()
    try:
        roll_up_uses()
        recount_set_aside()
    finally:
        durable_redis.cache_clear()


def test_a_connection_that_is_killed_in_the_middle_costs_no_use(waiting: Backlog, make_event: MakeEvent) -> None:
    event = make_event()
    put(event, make_event())
    with being_recorded_elsewhere(event):
        leader = Leader(lambda: roll_up(waiting))
        as_owner("SELECT pg_terminate_backend(%s)", one_that_waits())
        leader.join()
        assert waiting.length() == 2
    roll_up(waiting)
    assert recorded(event.tenant_id).records == 2


def test_trouble_with_one_tenants_uses_holds_up_no_other_tenant(
    waiting: Backlog, make_event: MakeEvent, other_tenant: CreatedTenant
) -> None:
    held_up, other = make_event(), make_event(tenant_id=other_tenant.tenant.id)
    put(held_up, other)
    with being_recorded_elsewhere(held_up):
        leader = Leader(lambda: roll_up(waiting))
        as_owner("SELECT pg_cancel_backend(%s)", one_that_waits())
        leader.join()
        assert recorded(other.tenant_id).records == 1
        assert [entry.fields[FIELD] for entry in entries(waiting)] == [write_event(held_up)]
        assert sample("maas_meter_events_pending") == 1
        assert sample("maas_meter_oldest_seconds") > 0
    roll_up(waiting)
    assert recorded(held_up.tenant_id).records == 1
    assert sample("maas_meter_events_pending") == sample("maas_meter_oldest_seconds") == 0


def test_what_is_rolled_up_says_whose_key_it_was_and_what_the_cache_saved(
    waiting: Backlog, make_event: MakeEvent, tenant: CreatedTenant
) -> None:
    keys = (uuid4(), uuid4())
    plain = [replace(make_event(), key_id=key) for key in keys]
    known = [replace(make_event(), key_id=keys[0], cached=True, saved_micros=90) for _ in range(3)]
    put(*plain, *known, make_event())
    roll_up(waiting)
    with unit_of_work(tenant.tenant.id):
        rows = UsageRecord.objects.values_list("key_id", "cached").annotate(Count("id"), Sum("saved_micros"))
        sums = UsageDay.objects.values_list("key_id", "cached").annotate(Sum("records"), Sum("saved_micros"))
        assert (
            set(rows)
            == set(sums)
            == {(keys[0], False, 1, 0), (keys[1], False, 1, 0), (keys[0], True, 3, 270), (None, False, 1, 0)}
        )


@pytest.mark.parametrize(("round_s", "pause_s"), [(0.01, 0.5), (0.2, 1.8), (60, 10)])
def test_the_pause_is_longer_after_a_longer_round(round_s: float, pause_s: float) -> None:
    assert rest_s(round_s) == pytest.approx(pause_s)
