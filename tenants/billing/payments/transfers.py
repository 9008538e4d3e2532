"""Records transfers that an operator finds on the bank account. They may be partial, or more than was requested."""

from uuid import UUID

from django.db.models.functions import Now

from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.payments.models import Payment
from tenants.billing.payments.payment_work import (
    audit_payment,
    books,
    locked_invoice,
    locked_payment,
    pay,
    wait_for_form,
)
from tenants.billing.payments.providers import OFFLINE
from tenants.billing.payments.services import MAX_MICROS, new_reference
from tenants.core.shares import unit_micros
from tenants.plans.wording import money


def record_announced(*, payment_id: UUID, amount_micros: int, note: str, made_by: str) -> Payment:
    """Record the money for a payment that its payer announced, once. It may be less or more than announced."""
    with books():
        payment, invoice = locked_payment(payment_id)
        if payment.provider != OFFLINE:
            raise InvalidTerms(f"{payment} is not a bank transfer. Its provider reports the received amount.")
        if payment.status == Payment.Status.SUCCEEDED:
            return payment
        _check(payment.currency, amount_micros)
        payment.amount_micros = amount_micros
        return _came_in(payment, invoice, note=note, made_by=made_by)


def record_transfer(
    *,
    tenant_id: UUID,
    currency: str,
    amount_micros: int,
    note: str,
    made_by: str,
    invoice_id: UUID | None = None,
    once: UUID | None = None,
) -> Payment:
    """Record a transfer that nobody had announced, for an invoice or for credit."""
    _check(currency, amount_micros)
    with books():
        wait_for_form(once)
        invoice = locked_invoice(invoice_id)
        if invoice is not None and (invoice.tenant_id, invoice.currency) != (tenant_id, currency):
            raise InvalidTerms(f"{invoice.number} belongs to another tenant or currency than {currency}.")
        known = Payment.objects.filter(tenant_id=tenant_id, once=once).first() if once else None
        if known is not None:
            return _same(known, (OFFLINE, invoice_id, currency, amount_micros))
        payment = Payment(
            tenant_id=tenant_id,
            provider=OFFLINE,
            purpose=Payment.Purpose.INVOICE if invoice else Payment.Purpose.TOP_UP,
            invoice=invoice,
            currency=currency,
            amount_micros=amount_micros,
            reference=invoice.number if invoice else new_reference(),
            once=once,
        )
        return _came_in(payment, invoice, note=note, made_by=made_by)


def _same(known: Payment, asked: tuple[str, UUID | None, str, int]) -> Payment:
    if asked != (known.provider, known.invoice_id, known.currency, known.amount_micros):
        raise InvalidTerms(
            f"you already recorded {known.reference} with this form: "
            f"{money(known.amount_micros, known.currency)}. Reload the page for another transfer."
        )
    return known


def cancel_announced(*, payment_id: UUID) -> bool:
    """Cancel an announced transfer that did not arrive and is no longer expected."""
    with books():
        found = Payment.objects.filter(id=payment_id, provider=OFFLINE, status=Payment.Status.PENDING)
        return bool(found.update(status=Payment.Status.CANCELED))


def _came_in(payment: Payment, invoice: Invoice | None, *, note: str, made_by: str) -> Payment:
    payment.status = Payment.Status.SUCCEEDED
    payment.note, payment.made_by = note.strip()[:200], made_by
    payment.save()
    Payment.objects.filter(id=payment.id).update(succeeded_at=Now())
    pay(payment, invoice)
    audit_payment(payment, "payment.recorded", payment.amount_micros, payment.note)
    payment.refresh_from_db()
    return payment


def _check(currency: str, amount_micros: int) -> None:
    unit = unit_micros(currency)
    if amount_micros % unit or not 0 < amount_micros <= MAX_MICROS:
        raise InvalidTerms(
            f"{amount_micros} micros of {currency} is not a possible amount. Use a multiple of {unit}, at most "
            f"{MAX_MICROS}."
        )
