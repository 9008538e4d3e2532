"""Books by hand: transfers that an operator finds on the bank account, and differences from a provider's report."""

from uuid import UUID

from django.db.models.functions import Now

from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.ledger.reconciling import difference_is_gone
from tenants.billing.payments.models import Payment, Refund
from tenants.billing.payments.payment_work import (
    audit_payment,
    books,
    locked_invoice,
    locked_payment,
    order_of,
    pay,
    wait_for_form,
)
from tenants.billing.payments.protocol import COMPARED, NotBookable, ProviderAway, ProviderRefused, Standing
from tenants.billing.payments.providers import OFFLINE, provider_named
from tenants.billing.payments.services import MAX_MICROS, new_reference
from tenants.billing.payments.settling import refund_came_back, take_told_amount
from tenants.core.db.unit_of_work import operator_work
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
        _check_amount(payment.currency, amount_micros)
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
    _check_amount(currency, amount_micros)
    with books():
        wait_for_form(once)
        invoice = locked_invoice(invoice_id)
        if invoice is not None and (invoice.tenant_id, invoice.currency) != (tenant_id, currency):
            raise InvalidTerms(f"{invoice.number} belongs to another tenant or currency than {currency}.")
        existing = Payment.objects.filter(tenant_id=tenant_id, once=once).first() if once else None
        if existing is not None:
            return _same(existing, (OFFLINE, invoice_id, currency, amount_micros))
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


def _same(existing: Payment, requested: tuple[str, UUID | None, str, int]) -> Payment:
    if requested != (existing.provider, existing.invoice_id, existing.currency, existing.amount_micros):
        raise InvalidTerms(
            f"you already recorded {existing.reference} with this form: "
            f"{money(existing.amount_micros, existing.currency)}. Reload the page for another transfer."
        )
    return existing


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


def _check_amount(currency: str, amount_micros: int) -> None:
    unit = unit_micros(currency)
    if amount_micros % unit or not 0 < amount_micros <= MAX_MICROS:
        raise InvalidTerms(
            f"{amount_micros} micros of {currency} is not a possible amount. Use a multiple of {unit}, at most "
            f"{MAX_MICROS}."
        )


def book_told(*, payment_id: UUID, reported_micros: int, reason: str) -> Payment:
    """Book the amount that the provider reports now. It queries the provider: call it outside a transaction."""
    standing = _standing(payment_id)
    with books():
        payment, invoice = locked_payment(payment_id)
        if payment.reported_micros is None:
            return payment
        _check_report(payment, reported_micros, reason)
        if payment.status == Payment.Status.SUCCEEDED:
            raise NotBookable(f"{payment} is already booked. Refund a part of it or mark the mismatch as checked.")
        if standing is None or standing.state != "succeeded" or standing.amount_micros != reported_micros:
            raise NotBookable(f"the provider now reports another amount or status for {payment}. Reload the page.")
        if standing.currency != payment.currency or standing.tenant_id not in (None, payment.tenant_id):
            raise NotBookable(
                f"the received payment has another currency or tenant than {payment}. Refund it at the provider."
            )
        before = payment.amount_micros
        take_told_amount(payment, invoice, standing)
        reported = money(reported_micros, payment.currency)
        _audit_difference(payment, "payment.difference_booked", before, reported, reason)
    return payment


def clear_told(*, payment_id: UUID, reported_micros: int, reason: str) -> Payment:
    """Clear a difference without booking it. A payment that had not arrived is no longer expected."""
    with books():
        payment, _ = locked_payment(payment_id)
        if payment.reported_micros is None:
            return payment
        _check_report(payment, reported_micros, reason)
        payment.cleared_micros, payment.reported_micros = reported_micros, None
        payment.cleared_currency, payment.reported_currency = payment.reported_currency, ""
        payment.cleared_id, payment.reported_id = payment.reported_id, ""
        if payment.status == Payment.Status.PENDING:
            payment.status, payment.failure = Payment.Status.CANCELED, "the reported amount was not booked"
        parts = ("micros", "currency", "id")
        changed = [f"{name}_{part}" for name in ("cleared", "reported") for part in parts]
        payment.save(update_fields=[*changed, "status", "failure"])
        reported = money(reported_micros, payment.cleared_currency)
        _audit_difference(payment, "payment.difference_cleared", payment.amount_micros, reported, reason)
    return payment


def book_sent_back(*, refund_id: UUID, reason: str) -> Refund:
    """Book a refund that the bank did not deliver. The money is the tenant's again."""
    with books():
        payment_id = Refund.objects.values_list("payment_id", flat=True).get(id=refund_id)
        payment, invoice = locked_payment(payment_id)
        refund = Refund.objects.select_for_update(no_key=True).get(id=refund_id)
        if refund.status == Payment.Status.FAILED:
            return refund
        if refund.status != Payment.Status.SUCCEEDED or not refund.failure:
            raise NotBookable("the bank has not reported this refund as returned.")
        _check_reason(reason)
        refund_came_back(refund, payment, invoice)
        audit_payment(payment, "payment.sent_back", refund.amount_micros, reason.strip())
    return refund


def _standing(payment_id: UUID) -> Standing | None:
    with operator_work():
        payment = Payment.objects.get(id=payment_id)
        order = order_of(payment)
    try:
        return provider_named(payment.provider).look(order)
    except (ProviderAway, ProviderRefused) as error:
        raise NotBookable(f"the provider does not answer: {error}. Try again in a minute.") from error


def _check_report(payment: Payment, reported_micros: int, reason: str) -> None:
    _check_reason(reason)
    if payment.reported_micros != reported_micros:
        raise NotBookable(f"the report of the provider on {payment} has changed. Reload the page.")


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise NotBookable("enter what you found. It is recorded in the account's audit log.")


def _audit_difference(payment: Payment, action: str, amount_micros: int, reported: str, reason: str) -> None:
    difference_is_gone(payment.tenant_id, COMPARED, str(payment.id))
    audit_payment(payment, action, amount_micros, reason.strip(), more=f", reported amount {reported}")
