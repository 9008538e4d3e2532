"""Fixtures: uses to write, the run's own stream (empty before each test), and what Postgres has recorded."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

import pytest
import redis
from django.db.models import Sum
from hypothesis import strategies as st

from tenants.billing.metering.events import MeterEvent, write_event
from tenants.billing.metering.keys import ASIDE, FIELD, STREAM
from tenants.billing.metering.roll_up import Backlog, Entry, durable_redis
from tenants.billing.usage.models import UsageDay, UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.prices import METERS, Price
from tests.inference.rpc.mortal import MortalRedis

NOON_MS = 1_795_176_000_000
"""20 November 2026, 12:00 UTC."""
CENT = Price("token", 10_000, 1000, "EUR")

MakeEvent = Callable[..., MeterEvent]

prices = st.builds(
    Price,
    st.sampled_from(METERS),
    st.integers(0, 10**9),
    st.integers(1, 10**6),
    st.sampled_from(["EUR", "USD"]),
)
events = st.builds(
    MeterEvent,
    id=st.uuids(),
    tenant_id=st.uuids(),
    source_kind=st.just("call"),
    model=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=100),
    version=st.integers(0, 2**31 - 1),
    quantity=st.integers(0, 2**63 - 1),
    price=prices,
    livemode=st.booleans(),
    at_ms=st.integers(0, NOON_MS),
    key_id=st.none() | st.uuids(),
    cached=st.booleans(),
    saved_micros=st.integers(-(2**62), 2**62),
)


@dataclass(frozen=True)
class Sums:
    records: int
    quantity: int
    amount_micros: int


def sums_of(events: Sequence[MeterEvent]) -> Sums:
    """Compute the sums in Python, with each use counted once."""
    once = {event.id: event for event in events}.values()
    return Sums(len(once), sum(e.quantity for e in once), sum(e.amount_micros for e in once))


def recorded(tenant_id: UUID) -> Sums:
    with unit_of_work(tenant_id):
        rows = list(UsageRecord.objects.values_list("quantity", "amount_micros"))
    return Sums(len(rows), sum(row[0] for row in rows), sum(row[1] for row in rows))


def by_day(tenant_id: UUID) -> dict[date, Sums]:
    with unit_of_work(tenant_id):
        days = UsageDay.objects.values("day").annotate(
            all_records=Sum("records"), used=Sum("quantity"), cost=Sum("amount_micros")
        )
        return {row["day"]: Sums(row["all_records"], row["used"], row["cost"]) for row in days}


@pytest.fixture
def client() -> Iterator["redis.Redis"]:
    client = durable_redis()
    client.delete(STREAM, ASIDE)
    yield client
    client.delete(STREAM, ASIDE)


@pytest.fixture
def waiting(client: "redis.Redis") -> Backlog:
    return Backlog(client, STREAM)


@pytest.fixture
def aside(client: "redis.Redis") -> Backlog:
    return Backlog(client, ASIDE)


@pytest.fixture
def make_event(tenant: CreatedTenant) -> MakeEvent:
    def make(
        *,
        tenant_id: UUID = tenant.tenant.id,
        quantity: int = 7,
        model: str = "embed",
        price: Price = CENT,
        livemode: bool = True,
        at_ms: int = NOON_MS,
    ) -> MeterEvent:
        return MeterEvent(uuid7(), tenant_id, "call", model, 1, quantity, price, livemode, at_ms)

    return make


def put(*written: MeterEvent | bytes, client: "redis.Redis | None" = None) -> None:
    for one in written:
        (client or durable_redis()).xadd(STREAM, {FIELD: one if isinstance(one, bytes) else write_event(one)})


def entries(backlog: Backlog) -> list[Entry]:
    return [entry for batch in backlog.batches() for entry in batch]


@pytest.fixture
def mortal() -> Iterator[MortalRedis]:
    server = MortalRedis()
    yield server
    server.thaw()
    server.kill()
