"""A tenant that has been a customer for some months, and what it used in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connections, transaction
from django.db.models import Sum

from tenants.accounts.models import Tenant
from tenants.billing.invoices.collecting import at
from tenants.billing.invoices.models import BillingDetails, Invoice, InvoiceLine, Seller
from tenants.billing.invoices.services import credit, draw_month
from tenants.billing.ledger.models import LedgerEntry, Wallet
from tenants.billing.ledger.terms import grant_credit, set_terms
from tenants.billing.metering.events import MeterEvent
from tenants.billing.metering.services import record_events
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.core.months import Month
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan, Subscription
from tenants.plans.prices import Price

PAGE = Price("page", 1_500, 1, "EUR")
OPERATOR_NAME = "operator@example.com"


def this_month() -> Month:
    with operator_work():
        return Month.of(database_now().astimezone(UTC).date())


@contextmanager
def in_the_past(table: str) -> Iterator[None]:
    """Allow rows that begin in the past, which the database refuses to everybody, for a test that needs some."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER keep_begun")
        try:
            yield
        finally:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER keep_begun")


@dataclass
class Customer:
    tenant_id: UUID
    now: Month = field(default_factory=this_month)

    @property
    def last(self) -> Month:
        return self.now.previous

    @property
    def before(self) -> Month:
        return self.last.previous

    def uses(self, quantity: int, day: date, price: Price = PAGE, **fields: Any) -> MeterEvent:
        moment = at(day) + timedelta(hours=12)
        event = MeterEvent(
            id=uuid7(),
            tenant_id=self.tenant_id,
            source_kind="call",
            model=fields.pop("model", "ocr"),
            version=1,
            quantity=quantity,
            price=price,
            livemode=fields.pop("livemode", True),
            at_ms=int(moment.timestamp() * 1000),
            **fields,
        )
        record_events(tenant_id=self.tenant_id, events=[event])
        return event

    def has_plan(self, plan: Plan | None, since: datetime, trial_ends_at: datetime | None = None) -> None:
        with in_the_past("tenants_subscription"), operator_work():
            Subscription.objects.create(
                tenant_id=self.tenant_id, plan=plan, starts_at=since, trial_ends_at=trial_ends_at
            )

    def pays_before(self, micros: int) -> None:
        with operator_work(), transaction.atomic(using=OPERATOR):
            set_terms(tenant_id=self.tenant_id, currency="EUR", kind="prepaid")
            grant_credit(tenant_id=self.tenant_id, currency="EUR", amount_micros=micros, reason="test", made_by="")

    def is_billed_to(self, **fields: Any) -> None:
        with operator_work():
            BillingDetails.objects.update_or_create(tenant_id=self.tenant_id, defaults=fields)

    def drawn(self, month: Month, *, closes: bool = True) -> list[Invoice]:
        return draw_month(self.tenant_id, month, closes=closes, made_by=OPERATOR_NAME)

    def is_billed(self, quantity: int) -> Invoice:
        """Bill the last month, in which this was used."""
        self.closed_before()
        self.uses(quantity, self.last.first)
        (invoice,) = self.drawn(self.last)
        return invoice

    def credited(self, invoice: Invoice, net_micros: int | None = None) -> Invoice:
        mine = {"tenant_id": self.tenant_id, "invoice_id": invoice.pk}
        return credit(**mine, reason="pages were blank", made_by=OPERATOR_NAME, net_micros=net_micros)

    def closed_before(self) -> None:
        """Close the month before the last, in which nothing was used."""
        assert self.drawn(self.before) == []

    def lines(self, invoice: Invoice) -> list[InvoiceLine]:
        with unit_of_work(self.tenant_id):
            return list(InvoiceLine.objects.filter(invoice=invoice).order_by("position"))

    def again(self, invoice: Invoice) -> Invoice:
        with unit_of_work(self.tenant_id):
            return Invoice.objects.get(pk=invoice.pk)

    def account(self, name: str) -> int:
        with unit_of_work(self.tenant_id):
            entries = LedgerEntry.objects.filter(account=name, currency="EUR")
            return int(entries.aggregate(sum=Sum("amount_micros"))["sum"] or 0)

    def available(self) -> int:
        with unit_of_work(self.tenant_id):
            return Wallet.objects.get(currency="EUR").available_micros


@pytest.fixture
def seller() -> Iterator[Seller]:
    """Provide the seller. There is one at a time, and nobody sells afterwards, as before."""
    first = this_month().previous.previous.first
    fields = {
        "name": "Papers & Sons Ltd",
        "address": "1 Quay Street\nBristol",
        "country": "GB",
        "tax_rate_bp": 1_900,
        "bills_from": first,
    }
    with operator_work():
        yield Seller.objects.update_or_create(only=True, defaults=fields)[0]
        Seller.objects.all().delete()


@pytest.fixture
def customer(tenant: CreatedTenant, seller: Seller) -> Customer:
    return since_two_months(tenant.tenant.id)


@pytest.fixture
def other_customer(other_tenant: CreatedTenant, seller: Seller) -> Customer:
    return since_two_months(other_tenant.tenant.id)


def since_two_months(tenant_id: UUID) -> Customer:
    found = Customer(tenant_id)
    with operator_work():
        Subscription.objects.filter(tenant_id=found.tenant_id).delete()
        Tenant.objects.filter(pk=found.tenant_id).update(created_at=at(found.before.first))
    return found
