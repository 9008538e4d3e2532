"""Tests of calls of a prepaid account: its plan's units are used first, then its money, and neither is exceeded."""

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass

import pytest

from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.ledger.errors import InsufficientFunds
from tenants.billing.ledger.headroom import Most
from tenants.billing.ledger.included_models import IncludedPool, IncludedUse
from tenants.billing.ledger.included_units import Work
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.billing.ledger.reservations import Reservation
from tenants.billing.ledger.services import hold, settle
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.metering.events import MeterEvent, read_event, with_covered, write_event
from tenants.billing.metering.services import record_events
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan
from tenants.plans.prices import Price
from tests.tenants.billing.invoices.conftest import this_month
from tests.tenants.plans.selling import include, make_plan

from .conftest import Purse, at_tills

PRICES = {"dear": Price("token", 7_001, 1_000, "EUR"), "cheap": Price("token", 333, 1_000, "EUR")}


@pytest.fixture
def plan(tenant: CreatedTenant) -> Plan:
    plan = make_plan()
    with operator_work():
        subscribe(tenant_id=tenant.tenant.id, plan=plan)
    return plan


@dataclass(frozen=True)
class Caller:
    identity: Identity

    async def asks(self, call_holds: CallHolds, model: str, tokens: int) -> Reservation | None:
        price = PRICES[model]
        most = Most(price.cost_micros(tokens) + 1, model, "token", tokens)
        with suppress(InsufficientFunds):
            return await call_holds.reserve(self.identity, uuid7(), "EUR", most)
        return None

    def used(self, call_holds: CallHolds, reserved: Reservation, model: str, tokens: int) -> MeterEvent:
        """Settle a call as the gateway does, and return the event as it is read after it was written."""
        plain = MeterEvent(
            id=reserved.id,
            tenant_id=self.identity.tenant_id,
            source_kind="call",
            model=model,
            version=1,
            quantity=tokens,
            price=PRICES[model],
            livemode=True,
            at_ms=uuid7().int >> 80,
            key_id=self.identity.key_id,
        )
        (event,) = with_covered([plain], *reserved.units)
        call_holds.settle(reserved, event.to_pay_micros, (event.covered, event.covered_of_all))
        return read_event(write_event(event))


def recorded(identity: Identity, *events: MeterEvent) -> None:
    record_events(tenant_id=identity.tenant_id, events=events)


def pools(identity: Identity) -> dict[str, tuple[int, int, int]]:
    with unit_of_work(identity.tenant_id):
        return {one.model: (one.granted, one.used, one.held) for one in IncludedPool.objects.all()}


def test_units_that_a_call_has_are_no_jobs_and_those_of_a_job_no_calls(
    identity: Identity, plan: Plan, purse: Purse
) -> None:
    purse.prepaid(0)
    include(plan, 100, model="cheap", meter="token")
    caller, source = Caller(identity), purse.source()

    def work(tokens: int) -> Work:
        return Work("cheap", False, PRICES["cheap"], tokens, PRICES["cheap"].cost_micros(tokens))

    def held(tokens: int) -> int | None:
        with unit_of_work(identity.tenant_id):
            return hold(source, work(tokens).amount_micros, lambda: [work(tokens)])

    async def ask(call_holds: CallHolds, other: CallHolds) -> MeterEvent:
        call = await caller.asks(call_holds, "cheap", 60)
        assert call is not None
        with pytest.raises(InsufficientFunds):
            await asyncio.to_thread(held, 41)
        assert not await caller.asks(other, "cheap", 41)
        assert await asyncio.to_thread(held, 40) == 0
        assert not await caller.asks(call_holds, "cheap", 1), "by the look that is older than the hold"
        event = caller.used(call_holds, call, "cheap", 20)
        async with asyncio.timeout(10):
            while not await caller.asks(other, "cheap", 40):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return event

    event = at_tills(ask)
    recorded(identity, event)
    assert pools(identity) == {"cheap": (100, 20, 40)}
    assert (purse.stands(), purse.account("uncollected")) == ((0, 0), 0)


def test_what_has_units_keeps_them_whatever_is_dearer(identity: Identity, plan: Plan, purse: Purse) -> None:
    """The cheap call was admitted for the units alone, and there is money for the expensive one."""
    include(plan, 1_000, meter="token")
    purse.prepaid(7_002)
    caller = Caller(identity)

    async def ask(call_holds: CallHolds, _: CallHolds) -> list[MeterEvent]:
        cheap = await caller.asks(call_holds, "cheap", 1_000)
        dear = await caller.asks(call_holds, "dear", 1_000)
        assert cheap
        assert dear
        assert (cheap.units, dear.units) == ((0, 1_000), (0, 0))
        used = [(dear, "dear"), (cheap, "cheap")]
        return [caller.used(call_holds, call, model, 1_000) for call, model in used]

    for event in at_tills(ask):
        recorded(identity, event)
    assert (purse.stands(), purse.account("uncollected")) == ((1, 0), 0)
    with unit_of_work(identity.tenant_id):
        assert list(IncludedUse.objects.values_list("model", "quantity")) == [("cheap", 1_000)]


def test_of_a_call_in_part_that_part_is_paid(identity: Identity, plan: Plan, purse: Purse) -> None:
    include(plan, 400, model="dear", meter="token")
    purse.prepaid(10_000)
    caller = Caller(identity)

    async def ask(call_holds: CallHolds, _: CallHolds) -> list[MeterEvent]:
        call = await caller.asks(call_holds, "dear", 1_000)
        assert call
        assert call.units == (400, 0)
        return [caller.used(call_holds, call, "dear", 900)]

    events = at_tills(ask)
    recorded(identity, *events, *events)
    recorded(identity, *events)
    assert pools(identity) == {"dear": (400, 400, 0)}
    cost = PRICES["dear"].cost_micros(900)
    assert purse.stands() == (10_000 - (cost - cost * 400 // 900), 0)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_whatever_calls_and_jobs_do_at_once_neither_units_nor_money_are_passed(
    identity: Identity, plan: Plan, purse: Purse, seed: int
) -> None:
    """Two models with own and shared units run calls and jobs that use less than they set aside."""
    chance = random.Random(seed)
    include(plan, 3_000, model="dear", meter="token")
    include(plan, 5_000, meter="token")
    purse.prepaid(9_000)
    caller = Caller(identity)

    async def call(call_holds: CallHolds) -> None:
        model, most = chance.choice(("dear", "cheap")), chance.randint(1, 400)
        await asyncio.sleep(chance.random() * 2)
        reserved = await caller.asks(call_holds, model, most)
        if reserved is None:
            return
        event = caller.used(call_holds, reserved, model, chance.randint(1, most))
        await asyncio.sleep(chance.random() * 0.1)
        await asyncio.to_thread(recorded, identity, event)

    def job(model: str, most: int, used: int) -> None:
        price, source = PRICES[model], purse.source()
        to_do = Work(model, False, price, most, price.cost_micros(most))
        done = Work(model, False, price, used, price.cost_micros(used), this_month().first)
        with suppress(InsufficientFunds):
            with unit_of_work(identity.tenant_id):
                held = hold(source, to_do.amount_micros, lambda: [to_do])
            with unit_of_work(identity.tenant_id):
                settle(source, held_micros=held, cost_micros=done.amount_micros, works=lambda: [done])

    async def ask(*both: CallHolds) -> None:
        calls = [call(both[number % 2]) for number in range(120)]
        jobs = [
            asyncio.to_thread(job, chance.choice(("dear", "cheap")), most, chance.randint(1, most))
            for most in (chance.randint(1, 600) for _ in range(12))
        ]
        await asyncio.gather(*calls, *jobs)

    at_tills(ask)
    available, held = purse.stands()
    assert purse.account("uncollected") == 0
    assert 0 <= available <= 9_000 - purse.account("revenue")
    assert held == 0
    assert all(used <= granted and not held for granted, used, held in pools(identity).values())
    mine = [one for one in compare_ledger() if one.tenant_id == identity.tenant_id]
    assert mine == []
