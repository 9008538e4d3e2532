"""Settles differences from a provider's report, once an operator has investigated them, with a reason."""

from uuid import UUID

from tenants.billing.ledger.reconciling import difference_is_gone
from tenants.billing.payments.models import Payment, Refund
from tenants.billing.payments.payment_work import audit_payment, books, locked_payment, order_of
from tenants.billing.payments.protocol import COMPARED, NotBookable, ProviderAway, ProviderRefused, Standing
from tenants.billing.payments.providers import provider_named
from tenants.billing.payments.settling import refund_came_back, take_told_amount
from tenants.core.db.unit_of_work import operator_work


def book_told(*, payment_id: UUID, reported_micros: int, reason: str) -> Payment:
    """Book the amount that the provider reports now. It queries the provider: call it outside a transaction."""
    standing = _standing(payment_id)
    with books():
        payment, invoice = locked_payment(payment_id)
        if payment.reported_micros is None:
            return payment
        _check(payment, reported_micros, reason)
        if payment.status == Payment.Status.SUCCEEDED:
            raise NotBookable(
                f"{payment} is already booked. Refund a part of it or mark the mismatch as checked."
            )
        if standing is None or standing.state != "succeeded" or standing.amount_micros != reported_micros:
            raise NotBookable(
                f"the provider now reports another amount or status for {payment}. Reload the page."
            )
        if standing.currency != payment.currency or standing.tenant_id not in (None, payment.tenant_id):
            raise NotBookable(
                f"the received payment has another currency or tenant than {payment}. Refund it at the provider."
            )
        before = payment.amount_micros
        take_told_amount(payment, invoice, standing)
        _told(payment, "payment.difference_booked", reported_micros, reason, before)
    return payment


def clear_told(*, payment_id: UUID, reported_micros: int, reason: str) -> Payment:
    """Clear a difference without booking it. A payment that had not arrived is no longer expected."""
    with books():
        payment, _ = locked_payment(payment_id)
        if payment.reported_micros is None:
            return payment
        _check(payment, reported_micros, reason)
        payment.cleared_micros, payment.reported_micros = reported_micros, None
        payment.cleared_currency, payment.reported_currency = payment.reported_currency, ""
        payment.cleared_id, payment.reported_id = payment.reported_id, ""
        if payment.status == Payment.Status.PENDING:
            payment.status, payment.failure = Payment.Status.CANCELED, "what came in was not taken for it"
        parts = ("micros", "currency", "id")
        changed = [f"{name}_{part}" for name in ("cleared", "reported") for part in parts]
        payment.save(update_fields=[*changed, "status", "failure"])
        _told(payment, "payment.difference_cleared", reported_micros, reason, payment.amount_micros)
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


def _check(payment: Payment, reported_micros: int, reason: str) -> None:
    _check_reason(reason)
    if payment.reported_micros != reported_micros:
        raise NotBookable(f"the report of the provider on {payment} has changed. Reload the page.")


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise NotBookable("enter what you found. It is recorded in the account's audit log.")


def _told(payment: Payment, action: str, reported_micros: int, reason: str, before: int) -> None:
    difference_is_gone(payment.tenant_id, COMPARED, str(payment.id))
    audit_payment(payment, action, before, reason.strip(), more=f", told {reported_micros} millionths")
