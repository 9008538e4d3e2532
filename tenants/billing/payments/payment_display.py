"""The display of a payment for people."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenants.billing.payments.models import Payment
from tenants.billing.payments.providers import WORDS
from tenants.plans.wording import rounded_money

_BADGES: Mapping[str, str] = {"succeeded": "good", "pending": "wait", "failed": "bad", "canceled": ""}
_STATUS: Mapping[str, str] = {
    "succeeded": "paid",
    "pending": "not there yet",
    "failed": "failed",
    "canceled": "canceled",
}


@dataclass(frozen=True)
class PaymentView:
    payment: Payment

    @property
    def what(self) -> str:
        return f"Invoice {self.payment.reference}" if self.payment.invoice_id else "Credit"

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
        return _STATUS[self.payment.status]

    @property
    def waits_for_provider(self) -> bool:
        return self.payment.status == Payment.Status.PENDING and self.payment.provider != "offline"
