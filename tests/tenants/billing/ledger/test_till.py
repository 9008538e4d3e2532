"""Calls before a balance: refused when nothing is left, by what a process knows of it."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tenants.asgi.threads import DatabaseThreads
from tenants.billing.ledger.errors import InsufficientFunds
from tenants.billing.ledger.till import Till
from tenants.billing.prices import Price
from tenants.context import unit_of_work
from tenants.identity import Identity
from tenants.ids import uuid7
from tenants.metering.events import MeterEvent
from tenants.metering.services import record_events

from .conftest import Purse

CALL = Price("call", 10, 1, "EUR")


@pytest.fixture
def till() -> Iterator[Till]:
    threads = DatabaseThreads("till", 1)
    yield Till(threads)
    threads.close()


def used(identity: Identity, *, key: bool = True) -> MeterEvent:
    return MeterEvent(
        id=uuid7(),
        tenant_id=identity.tenant_id,
        source_kind="call",
        model="embed",
        version=1,
        quantity=1,
        price=CALL,
        livemode=True,
        at_ms=uuid7().int >> 80,
        key_id=identity.key_id if key else None,
    )


def test_a_caller_who_has_nothing_left_is_refused_and_one_without_terms_is_not(
    till: Till, identity: Identity, other_identity: Identity, purse: Purse
) -> None:
    purse.prepaid(9)

    async def ask() -> None:
        await till.require(other_identity, CALL)
        await till.require(identity, Price("call", 0, 1, "EUR"))
        with pytest.raises(InsufficientFunds):
            await till.require(identity, CALL)
        with pytest.raises(InsufficientFunds):
            await till.require(identity, Price("call", 1, 1, "USD"))

    asyncio.run(ask())


def test_what_a_process_has_used_is_gone_for_it_at_once(till: Till, identity: Identity, purse: Purse) -> None:
    purse.prepaid(20)

    async def ask() -> int:
        for count in range(9):
            try:
                await till.require(identity, CALL)
            except InsufficientFunds:
                return count
            till.spend(identity, "EUR", 10)
        return 9

    assert asyncio.run(ask()) == 2


def test_calls_are_charged_once_together_and_to_the_budget_of_their_key(
    identity: Identity, purse: Purse
) -> None:
    purse.prepaid(100)
    purse.budget(25, identity.key_id)
    events = [used(identity), used(identity), used(identity, key=False)]
    for _ in range(2):
        record_events(tenant_id=identity.tenant_id, events=events)
    assert purse.stands() == (70, 0)
    assert purse.of_budget() == (20, 0)
    assert purse.kinds() == ["grant", "charge", "charge"]


def test_calls_that_pass_the_balance_are_the_operators_loss(identity: Identity, purse: Purse) -> None:
    purse.prepaid(15)
    record_events(tenant_id=identity.tenant_id, events=[used(identity), used(identity)])
    assert purse.stands() == (0, 0)
    assert (purse.account("revenue"), purse.account("uncollected")) == (20, -5)


def test_a_charge_whose_record_fails_is_not_made(identity: Identity, purse: Purse) -> None:
    purse.prepaid(100)
    with suppress(KeyboardInterrupt), unit_of_work(identity.tenant_id):
        record_events(tenant_id=identity.tenant_id, events=[used(identity)])
        raise KeyboardInterrupt
    assert purse.stands() == (100, 0)
    assert purse.kinds() == ["grant"]
