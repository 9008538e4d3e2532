"""Tests of calls against a balance: its holds and charges never exceed it."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from tenants.authentication.selectors import identify_key
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.ledger.errors import InsufficientFunds
from tenants.billing.ledger.headroom import Most
from tenants.billing.ledger.reservations import Reservation
from tenants.billing.ledger.services import hold
from tenants.billing.metering.events import MeterEvent
from tenants.billing.metering.services import record_events
from tenants.core.asgi.threads import DatabaseThreads, Overloaded
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.prices import Price

from .conftest import Purse, at_tills

NOWHERE = "redis://127.0.0.1:1/0"


async def taken(
    call_holds: CallHolds, identity: Identity, micros: int = 10, currency: str = "EUR"
) -> Reservation | None:
    """Set aside the amount, and return None if there was not so much."""
    with suppress(InsufficientFunds):
        reserved = await call_holds.reserve(identity, uuid7(), currency, Most(micros))
        assert reserved is not None
        return reserved
    return None


async def all_of(asked: list[Coroutine[Any, Any, Reservation | None]]) -> list[Reservation]:
    return [one for one in await asyncio.gather(*asked) if one is not None]


def used(tenant_id: UUID, key_id: UUID | None, cost: int = 10, *, event_id: UUID | None = None) -> MeterEvent:
    event_id, price = event_id or uuid7(), Price("call", cost, 1, "EUR")
    return MeterEvent(event_id, tenant_id, "call", "embed", 1, 1, price, True, at_ms=event_id.int >> 80, key_id=key_id)


def charge(*calls: Reservation, cost: int | None = None) -> None:
    """Record uses that cost `cost` each, as the scheduler does."""
    for one in calls:
        use = used(one.tenant_id, one.key_id, one.amount_micros if cost is None else cost, event_id=one.id)
        record_events(tenant_id=one.tenant_id, events=[use])


def test_a_caller_who_has_nothing_left_is_refused_and_one_without_terms_is_not(
    identity: Identity, other_identity: Identity, purse: Purse
) -> None:
    purse.prepaid(9)

    async def ask(call_holds: CallHolds, _: CallHolds) -> None:
        for caller, most in (
            (replace(other_identity, bounded=True), 10),
            (identity, 0),
            (replace(identity, livemode=False), 10),
        ):
            assert await call_holds.reserve(caller, uuid7(), "EUR", Most(most)) is None
        assert not await taken(call_holds, identity)
        assert not await taken(call_holds, identity, 1, "USD")
        assert await taken(call_holds, identity, 9)

    at_tills(ask)


def test_who_is_known_to_have_no_bound_is_looked_at_by_nobody(tenant: CreatedTenant, purse: Purse) -> None:
    unbounded = identify_key(tenant.key.text)
    purse.budget(100, uuid7())
    assert not unbounded.bounded, "another key's budget bounds this one no more than none does"
    assert not identify_key(tenant.key.text).bounded
    closed = DatabaseThreads("closed", 1)
    closed.close()

    async def ask(call_holds: CallHolds, _: CallHolds) -> None:
        assert await call_holds.reserve(unbounded, uuid7(), "EUR", Most(10)) is None

    at_tills(ask, NOWHERE, closed)


@pytest.mark.parametrize("of", ["balance", "tenant", "key"])
def test_a_key_is_known_to_be_bounded_by_whatever_bounds_it(tenant: CreatedTenant, purse: Purse, of: str) -> None:
    key_id = identify_key(tenant.key.text).key_id
    if of == "balance":
        purse.prepaid(5)
    else:
        purse.budget(5, key_id if of == "key" else None)
    assert identify_key(tenant.key.text).bounded


def test_of_two_hundred_at_two_processes_as_many_pass_as_can_be_paid_while_they_are_charged(
    identity: Identity, purse: Purse
) -> None:
    purse.prepaid(500)
    purse.budget(370, identity.key_id)

    async def call(call_holds: CallHolds) -> Reservation | None:
        reserved = await taken(call_holds, identity)
        if reserved is not None:
            call_holds.settle(reserved, 10)
            await asyncio.to_thread(charge, reserved)
        return reserved

    async def ask(*both: CallHolds) -> int:
        return len(await all_of([call(both[number % 2]) for number in range(200)]))

    assert at_tills(ask) == 37
    assert purse.stands() == (130, 0)
    assert purse.account("uncollected") == 0


def test_what_a_call_did_not_need_is_there_for_the_next_at_once(identity: Identity, purse: Purse) -> None:
    purse.prepaid(100)

    async def ask(one: CallHolds, other: CallHolds) -> None:
        first = await taken(one, identity, 100)
        assert first is not None
        assert not await taken(other, identity)
        one.settle(first, 80)
        await asyncio.to_thread(charge, first, cost=80)
        assert await taken(one, identity, 15)
        assert not await taken(other, identity, 10)
        assert await taken(other, identity, 5)

    at_tills(ask)


def test_whoever_leaves_while_money_is_set_aside_leaves_none_of_it(identity: Identity, purse: Purse) -> None:
    purse.prepaid(100)

    async def ask(call_holds: CallHolds, _: CallHolds) -> None:
        await taken(call_holds, identity, 1)
        for pauses in range(6):
            leaving = asyncio.create_task(call_holds.reserve(identity, uuid7(), "EUR", Most(99)))
            for _pause in range(pauses):
                await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.wait([leaving])
            if not leaving.cancelled():
                call_holds.settle(leaving.result() or pytest.fail("bounded"), 0)
        assert await taken(call_holds, identity, 99)

    at_tills(ask)


def test_credit_that_is_granted_is_spent_by_who_was_refused_a_moment_ago(identity: Identity, purse: Purse) -> None:
    purse.prepaid(9)

    async def ask(call_holds: CallHolds, _: CallHolds) -> None:
        assert not await taken(call_holds, identity)
        await asyncio.to_thread(purse.grant, 1)
        await asyncio.sleep(0.9)
        assert await taken(call_holds, identity)

    at_tills(ask)


def test_without_redis_a_process_goes_by_what_it_has_used_itself(identity: Identity, purse: Purse) -> None:
    purse.prepaid(25)

    async def ask(call_holds: CallHolds, _: CallHolds) -> int:
        for count in range(9):
            reserved = await taken(call_holds, identity)
            if reserved is None:
                return count
            call_holds.settle(reserved, 10)
        return 9

    assert at_tills(ask, NOWHERE) == 2


def test_where_too_many_ask_at_once_they_are_told_so_and_spend_nothing_unbound(identity: Identity) -> None:
    full = DatabaseThreads("full", 0 + 1, waiting=-1)

    async def ask(call_holds: CallHolds, _: CallHolds) -> None:
        with pytest.raises(Overloaded):
            await call_holds.reserve(identity, uuid7(), "EUR", Most(10))

    at_tills(ask, threads=full)


def test_a_job_gets_nothing_of_what_is_set_aside_for_calls_and_calls_nothing_of_its_hold(
    identity: Identity, purse: Purse
) -> None:
    purse.prepaid(100)

    def held(micros: int) -> int | None:
        with unit_of_work(identity.tenant_id):
            return hold(purse.source(identity.key_id), micros)

    async def ask(call_holds: CallHolds, other: CallHolds) -> None:
        call = await taken(call_holds, identity, 60)
        assert call is not None
        with pytest.raises(InsufficientFunds) as refused:
            await asyncio.to_thread(held, 41)
        assert refused.value.extra["available_micros"] == 40
        assert await asyncio.to_thread(held, 40) == 40
        assert not await taken(call_holds, identity, 1), "by the look that is older than the hold"
        assert not await taken(other, identity, 1)
        call_holds.settle(call, 0)
        # Settling waits for nobody: other processes know of it a moment later.
        async with asyncio.timeout(10):
            while not await taken(other, identity, 60):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    at_tills(ask)
    assert purse.stands() == (60, 40)


def test_a_hold_that_comes_to_nothing_holds_no_call_up_for_long(
    identity: Identity, purse: Purse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.billing.ledger.committing.HOLD_S", 2)
    purse.prepaid(100)
    with suppress(KeyboardInterrupt), unit_of_work(identity.tenant_id):
        hold(purse.source(), 100)
        raise KeyboardInterrupt

    async def ask(call_holds: CallHolds, _: CallHolds) -> None:
        assert not await taken(call_holds, identity)
        await asyncio.sleep(1)
        assert await taken(call_holds, identity, 100)

    at_tills(ask)


def test_calls_are_charged_once_together_and_to_the_budget_of_their_key(identity: Identity, purse: Purse) -> None:
    purse.prepaid(100)
    purse.budget(25, identity.key_id)
    tenant_id, key_id = identity.tenant_id, identity.key_id
    events = [used(tenant_id, key_id), used(tenant_id, key_id), used(tenant_id, None)]
    for _ in range(2):
        record_events(tenant_id=tenant_id, events=events)
    assert purse.stands() == (70, 0)
    assert purse.of_budget() == (20, 0)
    assert purse.kinds() == ["grant", "charge", "charge"]


def test_calls_that_pass_the_balance_are_the_operators_loss(identity: Identity, purse: Purse) -> None:
    purse.prepaid(15)
    events = [used(identity.tenant_id, identity.key_id) for _ in range(2)]
    record_events(tenant_id=identity.tenant_id, events=events)
    assert purse.stands() == (0, 0)
    assert (purse.account("revenue"), purse.account("uncollected")) == (20, -5)


def test_a_charge_whose_record_fails_is_not_made(identity: Identity, purse: Purse) -> None:
    purse.prepaid(100)
    with suppress(KeyboardInterrupt), unit_of_work(identity.tenant_id):
        record_events(tenant_id=identity.tenant_id, events=[used(identity.tenant_id, identity.key_id)])
        raise KeyboardInterrupt
    assert purse.stands() == (100, 0)
    assert purse.kinds() == ["grant"]
