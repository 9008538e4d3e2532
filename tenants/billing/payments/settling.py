"""Records a provider's reports about payments and refunds, inside books(). Reports may repeat and come in any order."""

from datetime import timedelta
from uuid import UUID

import structlog
from django.db.models.functions import Now

from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger.checks import Compared
from tenants.billing.ledger.reconciling import difference_is_gone, note_difference
from tenants.billing.payments.models import Payment, Refund
from tenants.billing.payments.payment_work import come_back, give_back, locked_payment, pay, tell
from tenants.billing.payments.protocol import COMPARED, RefundStanding, Standing

log = structlog.get_logger(__name__)
NOT_OURS = "no matching payment"
KNOWN = "already recorded"
DIFFERS = "differs from our record: ledger mismatch"
TOLD_AGAIN_FOR = timedelta(days=3)
"""The time for which Stripe repeats an event after an error response."""


def take_standing(standing: Standing, provider: str) -> str:
    """Record a report about a payment and return the outcome as text for the record."""
    found = payment_of(standing.payment_id, standing.provider_id, provider)
    if found is None:
        return NOT_OURS
    payment, invoice = locked_payment(found.id)
    if standing.state == "succeeded":
        return _succeed(payment, invoice, standing)
    if payment.status != Payment.Status.PENDING:
        return KNOWN
    if standing.state == "pending":
        return _goes_on(payment, standing)
    return _end(payment, standing)


def _goes_on(payment: Payment, standing: Standing) -> str:
    if payment.automatic and not payment.provider_id:
        payment.provider_id = standing.provider_id
        payment.save(update_fields=["provider_id"])
    return "pending"


def _succeed(payment: Payment, invoice: Invoice | None, standing: Standing) -> str:
    """Record a success, whatever the status was before, because the money has arrived."""
    if _differs(payment, standing):
        return _note_difference(payment, standing)
    if payment.status == Payment.Status.SUCCEEDED:
        return KNOWN
    _came_in(payment, invoice, standing.provider_id)
    return "paid"


def take_told_amount(payment: Payment, invoice: Invoice | None, standing: Standing) -> None:
    """Book a differing amount that an operator has found to be this payment's money."""
    payment.amount_micros = standing.amount_micros
    payment.save(update_fields=["amount_micros"])
    _came_in(payment, invoice, standing.provider_id)


def _came_in(payment: Payment, invoice: Invoice | None, provider_id: str) -> None:
    payment.reported_micros, payment.reported_currency = None, ""
    payment.status = Payment.Status.SUCCEEDED
    payment.provider_id = provider_id
    payment.failure = ""
    payment.save(update_fields=["status", "provider_id", "failure", "reported_micros", "reported_currency"])
    Payment.objects.filter(id=payment.id).update(succeeded_at=Now())
    pay(payment, invoice)
    tell(payment, "payment.succeeded", payment.amount_micros)
    log.info("payment_succeeded", tenant_id=str(payment.tenant_id), payment_id=str(payment.id))


def _end(payment: Payment, standing: Standing) -> str:
    """Record a failure. On the provider's page it is not the end: the payer can try another card."""
    payment.failure = standing.failure or payment.failure
    is_over = standing.state == "canceled" or payment.automatic
    if is_over:
        payment.status = Payment.Status(standing.state)
        payment.provider_id = payment.provider_id or standing.provider_id
        tell(payment, "payment.failed", payment.amount_micros, payment.failure)
    payment.save(update_fields=["failure", "status", "provider_id"])
    return str(standing.state) if is_over else "declined, can be retried"


def _differs(payment: Payment, standing: Standing) -> bool:
    return (
        (standing.currency, standing.amount_micros) != (payment.currency, payment.amount_micros)
        or standing.tenant_id not in (None, payment.tenant_id)
        or not standing.provider_id
        or payment.provider_id not in ("", standing.provider_id)
    )


def _note_difference(payment: Payment, standing: Standing) -> str:
    """Store a difference for an operator to investigate. A report that does not fit is not booked as money."""
    if payment.is_cleared(standing.amount_micros, standing.currency, standing.provider_id):
        return KNOWN
    Payment.objects.filter(id=payment.id).update(
        reported_micros=standing.amount_micros,
        reported_currency=standing.currency,
        reported_id=standing.provider_id,
    )
    note_difference(told_otherwise(payment, standing.amount_micros))
    return DIFFERS


def told_otherwise(payment: Payment, reported_micros: int) -> Compared:
    came = payment.amount_micros if payment.status == Payment.Status.SUCCEEDED else 0
    return Compared(payment.tenant_id, COMPARED, payment.currency, str(payment.id), reported_micros, came)


def take_refund(standing: RefundStanding, provider: str) -> str:
    found = _refund_of(standing, provider)
    if isinstance(found, str):
        return found
    payment, invoice = locked_payment(found.payment_id)
    refund = Refund.objects.select_for_update(no_key=True).get(id=found.id)
    if refund.status != Payment.Status.PENDING:
        return _after_its_end(payment, refund, standing)
    if (standing.currency, standing.amount_micros) != (payment.currency, refund.amount_micros):
        note_difference(_refund_difference(refund, payment.currency, standing.amount_micros))
        return DIFFERS
    refund.provider_id = refund.provider_id or standing.provider_id
    refund.save(update_fields=["provider_id"])
    if standing.state == "pending":
        return "pending"
    return _end_refund(refund, payment, invoice, standing)


def _after_its_end(payment: Payment, refund: Refund, standing: RefundStanding) -> str:
    """Handle a report after the end. Money that a bank sends back is a difference, never reversed automatically."""
    if (refund.status, standing.state) != (Payment.Status.SUCCEEDED, "failed") or refund.failure:
        return KNOWN
    refund.failure = standing.failure or "failed after it had succeeded"
    refund.save(update_fields=["failure"])
    tell(payment, "payment.refund_failed", refund.amount_micros, refund.failure)
    note_difference(_refund_difference(refund, standing.currency, 0))
    return "failed after it had succeeded: ledger mismatch"


def _refund_difference(refund: Refund, currency: str, reported_micros: int) -> Compared:
    return Compared(refund.tenant_id, "refund", currency, str(refund.id), reported_micros, refund.amount_micros)


def refund_came_back(refund: Refund, payment: Payment, invoice: Invoice | None) -> None:
    """Book a refund as returned that was in the books as gone."""
    refund.status = Payment.Status.FAILED
    refund.save(update_fields=["status"])
    come_back(refund, payment, invoice)
    difference_is_gone(refund.tenant_id, "refund", str(refund.id))


def _end_refund(refund: Refund, payment: Payment, invoice: Invoice | None, standing: RefundStanding) -> str:
    refund.status = Payment.Status(standing.state)
    refund.failure = standing.failure
    refund.save(update_fields=["status", "failure"])
    if standing.state == "succeeded":
        give_back(refund, payment, invoice)
        tell(payment, "payment.given_back", refund.amount_micros, refund.reason)
        return "refunded"
    payment.refunded_micros -= refund.amount_micros
    payment.save(update_fields=["refunded_micros"])
    tell(payment, "payment.refund_failed", refund.amount_micros, refund.failure)
    return f"refund {standing.state}"


def _refund_of(standing: RefundStanding, provider: str) -> Refund | str:
    if standing.refund_id is not None:
        refund = Refund.objects.filter(id=standing.refund_id).first()
        return refund or NOT_OURS
    payment = payment_of(None, standing.of_provider_id, provider)
    if payment is None:
        return NOT_OURS
    return decided_elsewhere(payment, standing.provider_id, standing.amount_micros, "refunded at the provider")


def decided_elsewhere(
    payment: Payment, provider_id: str, amount_micros: int, reason: str, *, owed_again: bool = False
) -> Refund | str:
    payment, _ = locked_payment(payment.id)
    refund = Refund.objects.filter(payment=payment, provider_id=provider_id).first()
    if refund is not None:
        return refund
    left = payment.amount_micros - payment.refunded_micros
    if amount_micros > left:
        named = (payment.tenant_id, COMPARED, payment.currency, str(payment.id))
        note_difference(Compared(*named, left - amount_micros, left))
        return "refunds more than was received: ledger mismatch"
    payment.refunded_micros += amount_micros
    payment.save(update_fields=["refunded_micros"])
    return Refund.objects.create(
        tenant_id=payment.tenant_id,
        payment=payment,
        amount_micros=amount_micros,
        provider_id=provider_id,
        reason=reason[:200],
        made_by=payment.provider,
        owed_again=owed_again,
    )


def may_be_known_later(provider: str) -> bool:
    """Return whether the report may be about a payment whose id at the provider is not known yet."""
    young = Payment.objects.filter(provider=provider, created_at__gt=Now() - TOLD_AGAIN_FOR)
    return young.filter(status=Payment.Status.PENDING, provider_id="").exists()


def payment_of(payment_id: UUID | None, provider_id: str, provider: str) -> Payment | None:
    payments = Payment.objects.filter(provider=provider)
    if payment_id is not None:
        return payments.filter(id=payment_id).first()
    return payments.filter(provider_id=provider_id).first() if provider_id else None
