"""Tests that a key and its successor share one budget: while both work, nothing of it is spent twice."""

import asyncio
from datetime import timedelta

import pytest

from tenants.api_keys.services import rotate_key
from tenants.authentication.selectors import acting_for, identify_key
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.ledger.errors import BudgetExhausted
from tenants.billing.ledger.models import Budget
from tenants.billing.ledger.reservations import Reservation
from tenants.billing.ledger.selectors import balances
from tenants.billing.ledger.services import hold
from tenants.billing.ledger.terms import set_own_budget
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant

from .conftest import Purse, at_tills
from .test_call_holds import all_of, charge, taken


@pytest.fixture
def both(tenant: CreatedTenant, purse: Purse) -> tuple[Identity, Identity]:
    """Return the identities of a key with 100 a month and of its successor. Both keys work for an hour."""
    set_own_budget(tenant_id=tenant.tenant.id, currency="EUR", monthly_micros=100, key_id=tenant.key.key.id)
    with unit_of_work(tenant.tenant.id):
        made = rotate_key(key_id=tenant.key.key.id, overlap=timedelta(hours=1))
    assert made is not None
    return identify_key(tenant.key.text), identify_key(made.text)


def test_what_one_has_set_aside_the_other_has_no_more(both: tuple[Identity, Identity], purse: Purse) -> None:
    old, new = both
    with unit_of_work(old.tenant_id):
        hold(purse.source(old.key_id), 70)
    with pytest.raises(BudgetExhausted), unit_of_work(old.tenant_id):
        hold(purse.source(new.key_id), 31)
    with unit_of_work(old.tenant_id):
        hold(purse.source(new.key_id), 30)


def test_of_calls_with_both_at_two_processes_as_many_pass_as_the_budget_pays_for(
    both: tuple[Identity, Identity],
) -> None:
    async def spent(call_holds: CallHolds, calls: list[Reservation]) -> int:
        for one in calls:
            call_holds.settle(one, one.amount_micros)
        await asyncio.to_thread(charge, *calls)
        return len(calls)

    async def scenario(one: CallHolds, other: CallHolds) -> int:
        old, new = both
        first = await all_of([taken(one, old) for _ in range(4)] + [taken(other, new) for _ in range(4)])
        passed = await spent(one, first)
        second = await all_of([taken(one, new) for _ in range(8)] + [taken(other, old) for _ in range(8)])
        return passed + len(second)

    assert at_tills(scenario) == 10


def test_both_are_told_of_one_budget_and_there_is_one(both: tuple[Identity, Identity]) -> None:
    told = []
    for one in both:
        with unit_of_work(one.tenant_id):
            told.append([budget.monthly_micros for balance in balances(one.key_id) for budget in balance.budgets])
            assert Budget.objects.count() == 1
    assert told == [[100], [100]]
    assert [one.bounded for one in both] == [True, True]


def test_what_goes_on_without_its_caller_knows_whose_budget_it_has(both: tuple[Identity, Identity]) -> None:
    old, new = both
    assert new.key_id is not None
    again = acting_for(new.tenant_id, key_id=new.key_id, livemode=True, scopes=())
    assert again.budget_key_id == new.budget_key_id == old.budget_key_id == old.key_id


def test_a_budget_that_is_set_for_the_successor_counts_what_both_have_used(tenant: CreatedTenant, purse: Purse) -> None:
    purse.prepaid(1000)
    with unit_of_work(tenant.tenant.id):
        hold(purse.source(tenant.key.key.id), 40)
        made = rotate_key(key_id=tenant.key.key.id, overlap=timedelta(hours=1))
        assert made is not None
        hold(purse.source(made.key.id), 5)
    purse.budget(100, made.key.id)
    assert purse.of_budget() == (0, 45)
    with unit_of_work(tenant.tenant.id):
        assert Budget.objects.get().api_key_id == tenant.key.key.id
