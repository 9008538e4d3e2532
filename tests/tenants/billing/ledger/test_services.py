"""Tests of holds, settlements and grants on the real tables: the books always balance, and no balance is overdrawn."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import product

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, connections, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from tenants.billing.ledger.errors import BudgetExhausted, InsufficientFunds, InvalidTerms
from tenants.billing.ledger.models import LedgerTransaction
from tenants.billing.ledger.posting import Source, post
from tenants.billing.ledger.postings import Entry, Posting
from tenants.billing.ledger.services import hold, pay_at_once, settle
from tenants.billing.ledger.terms import grant_credit, set_budget
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import create_tenant
from tests.fixtures import unique
from tests.waiting import eventually

from .conftest import Purse


def held(purse: Purse, micros: int, source: Source | None = None) -> Source:
    source = source or purse.source()
    with unit_of_work(purse.tenant_id):
        hold(source, micros)
    return source


def settled(purse: Purse, source: Source, held_micros: int | None, cost: int) -> None:
    with unit_of_work(purse.tenant_id):
        settle(source, held_micros=held_micros, cost_micros=cost)


@pytest.mark.parametrize(
    ("cost", "available", "uncollected", "kind"),
    [(25, 75, 0, "charge"), (0, 100, 0, "release"), (150, 0, -50, "charge")],
)
def test_of_a_hold_what_was_used_is_charged_and_the_rest_given_back_and_what_is_missing_is_the_operators(
    purse: Purse, cost: int, available: int, uncollected: int, kind: str
) -> None:
    purse.prepaid(100)
    source = held(purse, 60)
    assert purse.stands() == (40, 60)
    settled(purse, source, 60, cost)
    assert purse.stands() == (available, 0)
    accounts = [purse.account(name) for name in ("revenue", "grants", "uncollected")]
    assert accounts == [cost, -100, uncollected]
    assert purse.kinds() == ["grant", "hold", kind]


def test_who_has_not_so_much_is_told_how_much_is_missing(purse: Purse) -> None:
    purse.prepaid(100)
    held(purse, 60)
    with pytest.raises(InsufficientFunds, match=r"0\.00006 EUR") as refused:
        held(purse, 60)
    assert refused.value.extra == {
        "gate": "wallet",
        "currency": "EUR",
        "needed_micros": 60,
        "available_micros": 40,
    }
    assert purse.stands() == (40, 60)


def test_of_a_balance_for_one_one_of_many_at_once_gets_it(purse: Purse) -> None:
    purse.prepaid(100)

    def try_it(_: int) -> bool:
        try:
            return bool(held(purse, 100))
        except InsufficientFunds:
            return False
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(try_it, range(20))) == [False] * 19 + [True]
    assert purse.stands() == (0, 100)


def test_a_credit_line_lets_the_balance_below_zero_and_no_further(purse: Purse) -> None:
    purse.prepaid(line=50)
    held(purse, 50)
    with pytest.raises(InsufficientFunds):
        held(purse, 1)
    assert purse.stands() == (-50, 50)


def test_prepaid_in_one_currency_has_nothing_in_another(purse: Purse) -> None:
    purse.prepaid(100)
    dollars = Source(purse.tenant_id, "job", uuid7(), "USD")
    with pytest.raises(InsufficientFunds):
        held(purse, 1, dollars)


def test_without_terms_nothing_is_held_and_the_charge_is_owed(purse: Purse) -> None:
    with unit_of_work(purse.tenant_id):
        assert hold(purse.source(), 60) is None
    settled(purse, purse.source(), None, 25)
    assert purse.stands() == (-25, 0)
    assert purse.kinds() == ["charge"]


def test_what_ends_as_it_is_accepted_is_paid_or_refused(purse: Purse) -> None:
    purse.prepaid(100)
    with unit_of_work(purse.tenant_id):
        pay_at_once(purse.source(), 70)
    with pytest.raises(InsufficientFunds), unit_of_work(purse.tenant_id):
        pay_at_once(purse.source(), 70)
    assert purse.stands() == (30, 0)


@pytest.mark.parametrize("costs", [(25, 25), (25, 0), (0, 25), (0, 0)])
def test_a_second_settlement_is_refused_by_the_database(purse: Purse, costs: tuple[int, int]) -> None:
    purse.prepaid(200)
    source = held(purse, 60)
    held(purse, 60)
    settled(purse, source, 60, costs[0])
    before = purse.stands()
    with pytest.raises(IntegrityError, match="one_settlement"):
        settled(purse, source, 60, costs[1])
    assert purse.stands() == before


def test_a_second_hold_is_refused_by_the_database(purse: Purse) -> None:
    purse.prepaid(100)
    source = held(purse, 10)
    with pytest.raises(IntegrityError, match="one_hold"):
        held(purse, 10, source)
    assert purse.stands() == (90, 10)


def test_a_transaction_that_comes_to_nothing_leaves_nothing(purse: Purse) -> None:
    """The transaction ends after all of its statements, as if its process was killed there."""
    purse.prepaid(100)
    source = held(purse, 60)
    actions: list[Callable[[], object]] = [
        lambda: hold(purse.source(), 10),
        lambda: settle(source, held_micros=60, cost_micros=20),
        lambda: settle(source, held_micros=60, cost_micros=200),
    ]
    for action in actions:
        with suppress(KeyboardInterrupt), unit_of_work(purse.tenant_id):
            action()
            raise KeyboardInterrupt
        assert purse.stands() == (40, 60)
    assert purse.kinds() == ["grant", "hold"]


def test_entries_that_do_not_come_to_nothing_are_refused_at_the_end(purse: Purse) -> None:
    purse.prepaid(100)
    lopsided = Posting("grant", (Entry("credit", 5), Entry("grants", -4)))
    with pytest.raises(IntegrityError, match="do not come to 0"), unit_of_work(purse.tenant_id):
        post(purse.source(), lopsided)
    assert purse.stands() == (100, 0)


@pytest.mark.parametrize(
    ("alias", "table"),
    [
        *product((APP, OPERATOR, "owner"), ("tenants_ledgerentry", "tenants_ledgertransaction")),
        (APP, "tenants_usagerecord"),
    ],
)
@pytest.mark.parametrize("statement", ["UPDATE {} SET currency = 'XXX'", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_nobody_changes_or_takes_away_what_is_written(alias: str, table: str, statement: str) -> None:
    with pytest.raises(DatabaseError) as refused, connections[alias].cursor() as cursor:
        cursor.execute(statement.format(table))
    assert isinstance(refused.value.__cause__, psycopg.errors.InsufficientPrivilege)


def test_one_grant_asked_for_twice_is_given_once(purse: Purse) -> None:
    grant_id = uuid7()
    purse.grant(5, grant_id)
    purse.grant(5, grant_id)
    assert purse.stands() == (5, 0)


@pytest.mark.parametrize(
    ("currency", "micros", "reason"),
    [("eur", 5, "why"), ("EUR", 0, "why"), ("EUR", 5, " "), ("EUR", 10**16, "why")],
)
def test_a_grant_that_makes_no_sense_is_refused(purse: Purse, currency: str, micros: int, reason: str) -> None:
    with pytest.raises(InvalidTerms), operator_work():
        grant_credit(tenant_id=purse.tenant_id, currency=currency, amount_micros=micros, reason=reason, made_by="me")


def test_a_budget_refuses_what_would_pass_it_and_says_what_is_left(purse: Purse) -> None:
    purse.budget(100)
    source = held(purse, 60)
    with pytest.raises(BudgetExhausted) as refused:
        held(purse, 50)
    assert refused.value.extra["available_micros"] == 40
    settled(purse, source, 60, 30)
    assert purse.of_budget() == (30, 0)
    held(purse, 70)
    assert purse.of_budget() == (30, 70)


def test_a_keys_budget_holds_for_that_key_alone(purse: Purse) -> None:
    mine, other = uuid7(), uuid7()
    purse.budget(100, mine)
    held(purse, 100, purse.source(mine))
    with pytest.raises(BudgetExhausted, match="This key"):
        held(purse, 1, purse.source(mine))
    with unit_of_work(purse.tenant_id):
        assert hold(purse.source(other), 1) is None


def test_a_budget_counts_what_was_used_and_held_before_it_was_set(purse: Purse) -> None:
    purse.prepaid(1000)
    settled(purse, held(purse, 60), 60, 30)
    source = held(purse, 200)
    purse.budget(300)
    assert purse.of_budget() == (30, 200)
    settled(purse, source, 200, 150)
    assert purse.of_budget() == (180, 0)


def test_a_budget_that_is_set_while_a_charge_waits_counts_that_charge(purse: Purse) -> None:
    """The charge waits for the wallet with an older view of everything else."""
    purse.prepaid(100)
    source = held(purse, 60)

    def end() -> None:
        try:
            settled(purse, source, 60, 25)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with operator_work(), transaction.atomic(using=OPERATOR):
            set_budget(tenant_id=purse.tenant_id, currency="EUR", monthly_micros=1000)
            ending = pool.submit(end)
            eventually(_somebody_waits_for_a_lock, "the settlement waits for the wallet")
        ending.result()
    assert purse.of_budget() == (25, 0)


def _somebody_waits_for_a_lock() -> bool:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


def test_a_cost_above_its_hold_stays_within_the_budget(purse: Purse) -> None:
    purse.budget(100)
    settled(purse, held(purse, 60), 60, 500)
    assert purse.of_budget() == (100, 0)
    assert purse.stands() == (-100, 0)
    assert purse.account("uncollected") == -400


def test_a_new_month_begins_with_nothing_used(purse: Purse) -> None:
    purse.budget(100)
    settled(purse, held(purse, 60), 60, 60)
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE tenants_budget SET month = month - interval '1 month' WHERE tenant_id = %s",
            [purse.tenant_id],
        )
    held(purse, 100)
    assert purse.of_budget() == (0, 100)


steps = st.lists(
    st.tuples(st.sampled_from(["grant", "hold", "settle"]), st.integers(1, 200), st.integers(0, 300)),
    max_size=12,
)


@settings(max_examples=25)
@given(steps=steps, prepaid=st.booleans(), budget=st.none() | st.integers(0, 500))
def test_whatever_happens_the_books_balance(
    steps: list[tuple[str, int, int]], prepaid: bool, budget: int | None
) -> None:
    made = create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com")
    purse = Purse(made.tenant.id)
    purse.grant(1)
    if prepaid:
        purse.prepaid()
    purse.budget(budget)
    open_holds: list[tuple[Source, int | None]] = []
    for action, amount, cost in steps:
        if action == "grant":
            purse.grant(amount)
        elif action == "hold":
            source = purse.source()
            try:
                with unit_of_work(purse.tenant_id):
                    open_holds.append((source, hold(source, amount)))
            except (InsufficientFunds, BudgetExhausted):
                pass
        elif open_holds:
            source, held_micros = open_holds.pop()
            settled(purse, source, held_micros, cost)
        available, held_now = purse.stands()
        assert (available, held_now) == (purse.account("credit"), purse.account("held"))
        assert held_now == sum(micros or 0 for _, micros in open_holds)
        if prepaid:
            assert available >= 0
        if budget is not None:
            used, held_of_budget = purse.of_budget()
            assert used + held_of_budget <= budget
    with unit_of_work(purse.tenant_id):
        for transaction in LedgerTransaction.objects.all():
            assert sum(entry.amount_micros for entry in transaction.entries.all()) == 0
