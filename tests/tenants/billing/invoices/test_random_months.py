"""Tests of random months: ledger and invoices are compared with a slow computation that shares nothing with them.

It prices every unit by itself, in exact fractions, in the order in which a month uses units up.
"""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from math import ceil

import pytest

from tenants.billing.invoices.models import Invoice, Seller
from tenants.billing.invoices.reconciling import compare_invoices
from tenants.billing.ledger.models import LedgerEntry
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.billing.payments.bookkeeping import record_transfer
from tenants.billing.payments.reconciling import compare_payments
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.plans.models import Plan, PlanIncluded
from tenants.plans.prices import Price
from tests.tenants.plans.selling import make_plan

from .conftest import OPERATOR_NAME, Customer, in_the_past

CURRENCIES = ("EUR", "JPY", "KWD")
UNIT = {"EUR": 10_000, "JPY": 1_000_000, "KWD": 1_000}
TAX_BP = 1_900


@dataclass(frozen=True)
class Use:
    day: date
    model: str
    meter: str
    quantity: int
    amount: int
    per: int
    currency: str
    cached: bool


@dataclass(frozen=True)
class Held:
    since: datetime
    plan: Plan | None
    fee: int = 0
    currency: str = "EUR"
    trial_ends: datetime | None = None
    included: tuple[tuple[str, str, int], ...] = ()


@dataclass
class Books:
    """The expected state, which the test keeps itself."""

    uses: list[Use] = field(default_factory=list)
    plans: list[Held] = field(default_factory=list)
    billed: dict[tuple[date, str], int] = field(default_factory=lambda: defaultdict(int))
    """The exact amount of each month and currency, before it is rounded to cents."""


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def month_exactly(books: Books, first: date, after: date) -> dict[str, int]:
    """Return the month by currency, in millionths: the fee of each plan by the second, each line rounded once."""
    sums: dict[str, int] = defaultdict(int)
    whole = (midnight(after) - midnight(first)).total_seconds()
    starts = [max(one.since, midnight(first)) for one in books.plans]
    ends = [*starts[1:], midnight(after)]
    lines: dict[tuple[object, ...], Fraction] = defaultdict(Fraction)
    fees: dict[tuple[object, str], int] = defaultdict(int)
    followed = False
    for held, start, end in zip(books.plans, starts, ends, strict=True):
        end = min(end, midnight(after))  # noqa: PLW2901
        if start >= end:
            continue
        if held.plan is not None:
            paid_since = max(start, held.trial_ends or start)
            seconds = max(0, (end - paid_since).total_seconds())
            fees[held.plan.pk, held.currency] += round(Fraction(held.fee * int(seconds), int(whole)))
        share = Fraction(1)
        if followed:
            share = Fraction(int((midnight(after) - start).total_seconds()), int(whole))
        pools = {(model, meter): ceil(many * share) for model, meter, many in held.included}
        followed = followed or held.plan is not None
        mine = [use for use in books.uses if start <= midnight(use.day) + timedelta(hours=12) < end]
        for use in sorted(mine, key=lambda one: (one.day, -Fraction(one.amount, one.per))):
            for _ in range(use.quantity):
                pool = next((name for name in ((use.model, use.meter), ("", use.meter)) if pools.get(name, 0)), None)
                if pool is not None and use.amount:
                    pools[pool] -= 1
                else:
                    of = (use.currency, use.model, use.meter, use.cached, use.amount, use.per)
                    lines[of] += Fraction(use.amount, use.per)
    for (currency, *_), line in lines.items():
        sums[str(currency)] += round(line)
    for (_, currency), amount in fees.items():
        sums[currency] += amount
    return sums


def plan_of(chance: random.Random, since: datetime) -> Held:
    fee = chance.choice((0, 9_990_000, 20_000_001))
    included = tuple(
        (model, meter, chance.randint(1, 60))
        for model in ("ocr", "")
        for meter in ("page", "token")
        if chance.random() < 0.6
    )
    plan = make_plan(monthly_fee_micros=fee, currency="EUR")
    with in_the_past("tenants_planincluded"), operator_work():
        for model, meter, many in included:
            PlanIncluded.objects.create(
                plan=plan, model=model, meter=meter, quantity=many, valid_from=since - timedelta(days=99)
            )
    trial = since + timedelta(days=chance.randint(1, 20)) if chance.random() < 0.3 else None
    return Held(since, plan, fee, "EUR", trial, included)


def uses_of(chance: random.Random, days: list[date], many: int, others: float) -> list[Use]:
    """Make random uses. Prices change within the month, and none is as expensive as another model's."""
    prices = {
        ("ocr", "page"): ((1_500, 1), (1_777, 1), (0, 1)),
        ("layout", "page"): ((7, 3), (11, 3)),
        ("embed", "token"): ((1_234, 1_000), (999, 1_000)),
    }
    found = []
    for _ in range(many):
        (model, meter), versions = chance.choice(list(prices.items()))
        amount, per = chance.choice(versions)
        currency = chance.choice(CURRENCIES) if chance.random() < others else "EUR"
        day, quantity, cached = chance.choice(days), chance.randint(1, 40), chance.random() < 0.2
        found.append(Use(day, model, meter, quantity, amount, per, currency, cached))
    return found


def told(customer: Customer, uses: list[Use]) -> None:
    for use in uses:
        customer.uses(
            use.quantity,
            use.day,
            Price(use.meter, use.amount, use.per, use.currency),  # type: ignore[arg-type]
            model=use.model,
            cached=use.cached,
        )


def billed(customer: Customer, books: Books, month: object, *months: tuple[date, date]) -> dict[str, Invoice]:
    """Bill the month, and compare the invoices with what the months amount to by now."""
    expected: dict[str, int] = defaultdict(int)
    for first, after in months:
        for currency, exact in month_exactly(books, first, after).items():
            expected[currency] += exact - books.billed[first, currency]
            books.billed[first, currency] = exact
    drawn = {one.currency: one for one in customer.drawn(month)}  # type: ignore[arg-type]
    for currency in {*expected, *drawn}:
        net = round(Fraction(expected[currency], UNIT[currency])) * UNIT[currency]
        tax = round(Fraction(net * TAX_BP, 10_000 * UNIT[currency])) * UNIT[currency]
        if currency not in drawn:
            assert net == 0
            continue
        assert (drawn[currency].net_micros, drawn[currency].tax_micros) == (net, tax)
    return drawn


def accounts(customer: Customer, currency: str) -> dict[str, int]:
    sums: dict[str, int] = defaultdict(int)
    with unit_of_work(customer.tenant_id):
        for entry in LedgerEntry.objects.filter(currency=currency):
            sums[entry.account] += entry.amount_micros
    return sums


def pays_some(chance: random.Random, customer: Customer, invoice: Invoice) -> int:
    """Pay a part of what is open, all of it, or more than that. Return the amount."""
    unit = UNIT[invoice.currency]
    amount = chance.choice((unit, invoice.due_micros, invoice.due_micros + 5 * unit))
    if amount <= 0:
        return 0
    of = {"tenant_id": customer.tenant_id, "invoice_id": invoice.pk}
    record_transfer(**of, currency=invoice.currency, amount_micros=amount, note="", made_by=OPERATOR_NAME)
    return amount


def takes_some_back(chance: random.Random, customer: Customer, invoice: Invoice) -> Invoice | None:
    unit = UNIT[invoice.currency]
    if invoice.net_micros < 2 * unit:
        return None
    part = chance.randint(1, invoice.net_micros // unit) * unit
    return customer.credited(invoice, part)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))])
def test_ledger_and_invoices_come_to_what_a_slow_computation_says(
    customer: Customer, seller: Seller, seed: int
) -> None:
    chance = random.Random(seed)
    books = Books()
    before, last, now = customer.before, customer.last, customer.now
    books.plans.append(Held(midnight(before.first), None))
    begins = [before.first, last.first + timedelta(days=9)]
    if chance.random() < 0.5:  # The plan changes twice in a day.
        begins.append(last.first + timedelta(days=9, hours=0))
    for number, day in enumerate(begins):
        since = midnight(day) + timedelta(hours=number)
        held = plan_of(chance, since) if chance.random() < 0.8 else Held(since, None)
        customer.has_plan(held.plan, since, held.trial_ends)
        books.plans.append(held)
    granted = chance.choice((0, 10**12))
    if granted:
        customer.pays_before(granted)
    edges = [before.first, before.days[-1], last.first, last.days[-1]]
    others = 0.0 if granted else 0.3  # A prepaid account has nothing in other currencies.
    first = uses_of(chance, before.days, 25, others)
    second = uses_of(chance, [*last.days, *edges[2:]], 25, others)
    late = uses_of(chance, [*before.days, *edges[:2]], 8, others)
    books.uses = list(first)
    told(customer, first)
    one = billed(customer, books, before, (before.first, last.first))
    books.uses += [*second, *late]
    told(customer, [*second, *late])
    two = billed(customer, books, last, (before.first, last.first), (last.first, now.first))

    paid: dict[str, int] = defaultdict(int)
    notes: list[Invoice] = []
    for invoice in (*one.values(), *two.values()):
        if chance.random() < 0.7:
            paid[invoice.currency] += pays_some(chance, customer, invoice)
        if chance.random() < 0.5 and (note := takes_some_back(chance, customer, invoice)):
            notes.append(note)
    for currency in CURRENCIES:
        invoices = [customer.again(one) for one in (*one.values(), *two.values()) if one.currency == currency]
        back = [note for note in notes if note.currency == currency]
        found = accounts(customer, currency)
        assert found["tax"] == sum(i.tax_micros for i in invoices) - sum(n.tax_micros for n in back)
        assert found["receivable"] == -sum(i.open_micros for i in invoices)
        assert found["payments"] == -paid[currency]
        assert found["grants"] == (-granted if currency == "EUR" else 0)
        assert found["uncollected"] == 0
        assert found["revenue"] == sum(i.net_micros for i in invoices) - sum(n.net_micros for n in back)
        assert sum(found.values()) == 0
    differing = [*compare_ledger(), *compare_invoices(), *compare_payments()]
    assert [one for one in differing if one.tenant_id == customer.tenant_id] == []
