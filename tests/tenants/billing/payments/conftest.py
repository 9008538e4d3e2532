"""A tenant that pays: its invoices, its books, and Stripe's stand-in."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

import pytest
from django.db import connections
from pytest_django import Settings

from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger import postings
from tenants.billing.ledger.posting import Source, open_wallet, post
from tenants.billing.payments.events import receive_event
from tenants.billing.payments.models import Payment, ProviderCustomer, Refund
from tenants.billing.payments.payment_work import books
from tenants.billing.payments.reconciling import compare_payments
from tenants.billing.payments.refunds import decide_refund
from tenants.billing.payments.services import TopUp, begin_invoice_payment, begin_top_up, start
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.flows.invoices import issued
from tests.stand_in_stripe import SECRET_KEY, WEBHOOK_SECRET, StandIn, event, signed, stand_in_stripe
from tests.tenants.billing.ledger.conftest import Purse

EURO = 1_000_000
T = TypeVar("T")


@dataclass(frozen=True)
class Payer(Purse):
    """Amounts are in euros, since invoices are."""

    def invoice(self, euros: int = 100, *, currency: str = "EUR") -> Invoice:
        micros = euros * EURO
        used = {"kind": "usage", "text": "used", "exact_micros": micros, "amount_micros": micros}
        with books():
            invoice = issued(self.tenant_id, [used], currency=currency, tax_micros=0)
            open_wallet(self.tenant_id, currency)
            post(
                Source(self.tenant_id, "invoice", invoice.id, currency),
                postings.bill(adjusted_micros=micros, tax_micros=0, due_micros=micros),
            )
        return invoice

    def pays(self, invoice: Invoice, provider: str = "stripe") -> Payment:
        return start(
            begin_invoice_payment(
                tenant_id=self.tenant_id, provider=provider, invoice_id=invoice.id, made_by="a@b.example"
            )
        )

    def tops_up(
        self, euros: int = 50, provider: str = "stripe", currency: str = "EUR", once: UUID | None = None
    ) -> Payment:
        wanted = TopUp(currency, euros * EURO)
        return start(
            begin_top_up(tenant_id=self.tenant_id, provider=provider, wanted=wanted, made_by="a@b.example", once=once)
        )

    def has_card(self, stand_in: StandIn, method: str = "pm_fine", *, pays: bool = True) -> ProviderCustomer:
        """Save a card, dated before any of the tenant's invoices is issued."""
        customer = {"id": f"cus_{unique('c')}", "object": "customer", "created": 0, "metadata": {}}
        stand_in.account.customers[str(customer["id"])] = customer
        method_id = unique(method)
        stand_in.account.methods[method_id] = {
            "id": method_id,
            "object": "payment_method",
            "customer": customer["id"],
            "created": 0,
        }
        with books():
            return ProviderCustomer.objects.create(
                tenant_id=self.tenant_id,
                provider="stripe",
                customer_id=str(customer["id"]),
                method_id=method_id,
                method_text="visa •••• 4242, 12/30",
                pays_invoices=pays,
                saved_at=datetime(2026, 1, 1, tzinfo=UTC),
            )


def fresh(row: Any) -> Any:
    """Return the row as it is stored now."""
    with operator_work():
        return type(row).objects.get(pk=row.pk)


def open_of(invoice: Invoice) -> int:
    """Return what is open of the invoice, in euros."""
    with operator_work():
        return int(Invoice.objects.get(pk=invoice.pk).open_micros // EURO)


def grow_older(payment: Payment, interval: str) -> None:
    """Make the payment look as if it had begun `interval` ago."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE tenants_payment SET created_at = created_at - %s::interval,"
            " requested_at = requested_at - %s::interval, checked_at = NULL WHERE id = %s",
            [interval, interval, payment.id],
        )


def paid(payer: Payer, stand_in: StandIn, payment: Payment | None = None) -> Payment:
    """Have the payer pay on Stripe's page, for credit if nothing else was begun. Return the payment as it is then."""
    begun = payment or payer.tops_up(50)
    tell("checkout.session.completed", stand_in.pay(begun.checkout_id))
    found: Payment = fresh(begun)
    return found


def decide(payment: Payment, euros: int, **more: Any) -> Refund:
    given: dict[str, Any] = {"payment_id": payment.id, "amount_micros": euros * EURO, **more}
    return decide_refund(**given, reason="a complaint", made_by="op@example.com")


def dispute_of(payment: Payment, **more: Any) -> dict[str, Any]:
    """Return a dispute about 100 euros of this payment, as Stripe writes it."""
    named = {"id": f"dp_{payment.id}", "payment_intent": fresh(payment).provider_id}
    return {**named, "amount": 10000, "currency": "eur", "reason": "fraudulent", **more}


def differences_of(payer: Payer) -> list[str]:
    return [one.compared for one in compare_payments() if one.tenant_id == payer.tenant_id]


def all_at_once(act: Callable[[], T], times: int = 6) -> list[T]:
    """Do this in so many threads, and return what each has returned."""

    def once(_: int) -> T:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(once, range(times)))


def tell(kind: str, what: dict[str, Any], **more: Any) -> str:
    return tell_again(event(kind, what, **more))


def tell_again(said: dict[str, Any]) -> str:
    body = json.dumps(said).encode()
    return receive_event(body, signed(body))


@pytest.fixture
def payer(tenant: CreatedTenant) -> Payer:
    return Payer(tenant.tenant.id)


@pytest.fixture
def stand_in(settings: Settings) -> Iterator[StandIn]:
    with stand_in_stripe() as stand_in:
        settings.MAAS_STRIPE_SECRET_KEY = SECRET_KEY
        settings.MAAS_STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
        settings.MAAS_STRIPE_API_BASE = settings.MAAS_STRIPE_CHECKOUT = stand_in.url
        yield stand_in
    with operator_work():
        # Nobody is to process the cards and payments of a stand-in that is gone.
        ProviderCustomer.objects.update(pays_invoices=False)
        Payment.objects.filter(status="pending").update(status="canceled")
