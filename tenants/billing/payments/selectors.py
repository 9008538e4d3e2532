"""Reads of a tenant's payments, inside its unit of work."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from tenants.billing.invoices.models import Seller
from tenants.billing.payments.models import Payment, ProviderCustomer
from tenants.billing.payments.payment_work import text_of
from tenants.billing.payments.protocol import NoSuchPayment
from tenants.billing.payments.providers import OFFLINE, WORDS, provider_names
from tenants.plans.wording import exact_money, rounded_money

_BADGES: Mapping[str, str] = {"succeeded": "good", "pending": "wait", "failed": "bad", "canceled": ""}
_STATUS: Mapping[str, str] = {"succeeded": "paid", "pending": "pending"}


@dataclass(frozen=True)
class PaymentView:
    payment: Payment

    @property
    def what(self) -> str:
        return text_of(self.payment)

    @property
    def amount(self) -> str:
        return rounded_money(self.payment.amount_micros, self.payment.currency)

    @property
    def refunded(self) -> str:
        micros = self.payment.refunded_micros
        return rounded_money(micros, self.payment.currency) if micros else ""

    @property
    def to_credit(self) -> str:
        """Return the part of an invoice payment that exceeded the invoice's open amount."""
        payment = self.payment
        rest = payment.amount_micros - payment.invoice_micros
        is_rest = payment.status == Payment.Status.SUCCEEDED and payment.invoice_id and rest
        return rounded_money(rest, payment.currency) if is_rest else ""

    @property
    def how(self) -> str:
        return "from the saved card" if self.payment.automatic else WORDS.get(self.payment.provider, "")

    @property
    def badge(self) -> str:
        return _BADGES[self.payment.status]

    @property
    def status(self) -> str:
        return _STATUS.get(self.payment.status, self.payment.status)

    @property
    def waits_for_provider(self) -> bool:
        return self.payment.status == Payment.Status.PENDING and self.payment.provider != "offline"


@dataclass(frozen=True)
class Way:
    name: str
    words: str


@dataclass(frozen=True)
class Instructions:
    """Instructions for a transfer: the bank details and the text that the payer writes on it."""

    bank_details: str
    reference: str
    amount: str


def ways_to_pay() -> list[Way]:
    return [Way(name, WORDS[name]) for name in provider_names()]


def payments_of(tenant_id: UUID, limit: int) -> list[PaymentView]:
    """Return the payments for the template `tenants/billing/payments_part.html`."""
    return [PaymentView(payment) for payment in payments().filter(tenant_id=tenant_id)[:limit]]


def payments() -> "QuerySet[Payment]":
    """Return payments, newest first, because ids grow with time."""
    return Payment.objects.select_related("invoice").order_by("-id")


def get_payment(payment_id: object) -> Payment:
    found = payments().filter(id=wanted).first() if (wanted := as_id(payment_id)) else None
    if found is None:
        raise NoSuchPayment(f"There is no payment {str(payment_id)[:60]!r} in this account.")
    return found


def as_id(value: object) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


def bank_details() -> str:
    seller = Seller.objects.first()
    return seller.bank_details if seller else ""


def instructions_for(payment: Payment, details: str | None = None) -> Instructions | None:
    """Return the instructions, or None if nothing is to transfer. Pass `details` to read them once for many."""
    if payment.provider != OFFLINE or payment.status != Payment.Status.PENDING:
        return None
    return Instructions(
        bank_details() if details is None else details,
        payment.reference,
        exact_money(payment.amount_micros, payment.currency),
    )


def saved_card() -> ProviderCustomer | None:
    return ProviderCustomer.objects.exclude(method_id="").first()
