"""Many uses that come twice, late and in any order: every record of the money says the same.

The expected amounts are computed here again, in exact fractions, by nothing that the product uses.
"""

import random
from collections import defaultdict
from datetime import date, timedelta
from fractions import Fraction

import pytest

from tenants.billing.invoices.collecting import at
from tenants.billing.invoices.models import Invoice
from tenants.billing.invoices.reconciling import compare_invoices
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.billing.metering.events import MeterEvent
from tenants.billing.metering.services import record_events
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.plans.prices import Price
from tests.tenants.billing.invoices.conftest import Customer, customer, seller

__all__ = ["customer", "seller"]
SEED = 20_261_123
AT_ONCE = 10_000
PRICES = (
    Price("page", 1_500, 1, "EUR"),
    Price("token", 1_234, 1_000, "EUR"),
    Price("call", 333, 1, "EUR"),
    Price("page", 7, 3, "USD"),
)


def uses(chance: random.Random, customer: Customer, count: int) -> list[MeterEvent]:
    days = [*customer.before.days[::7], *customer.last.days[::7]]
    return [
        MeterEvent(
            id=uuid7(),
            tenant_id=customer.tenant_id,
            source_kind=chance.choice(("call", "cache")),
            model=chance.choice(("ocr", "layout", "embed")),
            version=1,
            quantity=chance.randint(1, 900),
            price=chance.choice(PRICES),
            livemode=chance.random() < 0.9,
            at_ms=_moment(chance, chance.choice(days)),
        )
        for _ in range(count)
    ]


def _moment(chance: random.Random, day: date) -> int:
    return int((at(day) + timedelta(seconds=chance.randint(0, 86_399))).timestamp() * 1000)


def recomputed(events: list[MeterEvent], currency: str) -> list[int]:
    """Return the amount of each month in millionths."""
    sums: dict[tuple[date, str, bool, Price], int] = defaultdict(int)
    for event in events:
        if event.livemode and event.price.currency == currency:
            sums[event.at.date().replace(day=1), event.model, event.cached, event.price] += event.quantity
    months: dict[date, int] = defaultdict(int)
    for (month, _, _, price), quantity in sums.items():
        months[month] += round(Fraction(quantity * price.amount_micros, price.per))
    return [months[month] for month in sorted(months)]


@pytest.mark.parametrize("count", [4_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_jobs_usage_ledger_and_invoices_say_the_same(customer: Customer, count: int) -> None:
    chance = random.Random(SEED)  # It is repeatable, and no secret.
    events = uses(chance, customer, count)
    told = [*events, *chance.sample(events, count // 10)]
    chance.shuffle(told)
    in_time, late = told[: count // 2], told[count // 2 :]
    _record(customer, in_time)
    first = customer.drawn(customer.before)
    _record(customer, late)
    second = customer.drawn(customer.last)
    with unit_of_work(customer.tenant_id):
        assert UsageRecord.objects.count() == count
    for currency in ("EUR", "USD"):
        billed = sum(one.net_micros for one in [*first, *second] if one.currency == currency)
        # Each of the two invoices is rounded once.
        assert abs(billed - sum(recomputed(events, currency))) <= 10_000
    mine = [one for one in [*compare_ledger(), *compare_invoices()] if one.tenant_id == customer.tenant_id]
    assert mine == []
    with operator_work():
        assert Invoice.objects.filter(tenant_id=customer.tenant_id).count() == 4


def _record(customer: Customer, events: list[MeterEvent]) -> None:
    for place in range(0, len(events), AT_ONCE):
        record_events(tenant_id=customer.tenant_id, events=events[place : place + AT_ONCE])
