"""Money that goes back: refunds, which are durable before the provider is asked, and disputes, in whatever order."""

from datetime import timedelta
from uuid import UUID

import structlog
from django.db.models.functions import Coalesce, Now

from tenants.billing.ledger.reconciling import note_difference
from tenants.billing.payments.models import DISPUTES_LEFT_BEHIND, Payment, Refund
from tenants.billing.payments.payment_work import (
    audit_payment,
    books,
    locked_payment,
    refund_order_of,
    tell,
    wait_for_form,
)
from tenants.billing.payments.protocol import (
    DisputeStanding,
    NotRefundable,
    ProviderAway,
    ProviderRefused,
    RefundStanding,
    may_ask_again,
)
from tenants.billing.payments.providers import card_provider, provider_named
from tenants.billing.payments.settling import (
    NOT_OURS,
    decided_elsewhere,
    payment_of,
    take_refund,
    told_otherwise,
)
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.core.shares import unit_micros
from tenants.plans.wording import money

log = structlog.get_logger(__name__)
LONGEST_REASON = 200
ENDED = ("lost", *DISPUTES_LEFT_BEHIND)
LOOKED_BACK = timedelta(days=180)
"""Months may pass until a dispute is decided."""
RECEIVED_LATE = "received late: already closed"


def decide_refund(
    *,
    payment_id: UUID,
    amount_micros: int,
    reason: str,
    made_by: str,
    owed_again: bool = False,
    once: UUID | None = None,
) -> Refund:
    """Create the refund's row, which reserves its amount against other refunds. Raises NotRefundable."""
    with books():
        wait_for_form(once)
        payment, _ = locked_payment(payment_id)
        existing = Refund.objects.filter(tenant_id=payment.tenant_id, once=once).first() if once else None
        if existing is not None:
            return _same(existing, (payment_id, amount_micros, owed_again))
        _check(payment, amount_micros, reason)
        payment.refunded_micros += amount_micros
        payment.save(update_fields=["refunded_micros"])
        refund = Refund.objects.create(
            tenant_id=payment.tenant_id,
            payment=payment,
            amount_micros=amount_micros,
            reason=reason.strip()[:LONGEST_REASON],
            made_by=made_by,
            owed_again=owed_again,
            once=once,
        )
        audit_payment(payment, "payment.refunded", amount_micros, refund.reason)
        return refund


def _same(existing: Refund, requested: tuple[UUID, int, bool]) -> Refund:
    if requested != (existing.payment_id, existing.amount_micros, existing.owed_again):
        raise NotRefundable(
            "you already refunded another amount with this form. Reload the payment and check its refunds."
        )
    return existing


def ask_refund(refund_id: UUID) -> Refund:
    """Request the refund, outside any transaction. Without a response, it stays pending for the scheduler."""
    with books():
        times = {"requested_at": Coalesce("requested_at", Now()), "checked_at": Now()}
        Refund.objects.filter(id=refund_id).update(**times)
        refund = Refund.objects.select_related("payment").get(id=refund_id)
        ask_again = may_ask_again(refund.requested_at, database_now())
    if refund.status != Payment.Status.PENDING:
        return refund
    standing = _standing(refund, ask_again=ask_again)
    if standing is not None:
        with books():
            take_refund(standing, refund.payment.provider)
            refund.refresh_from_db()
    return refund


def _standing(refund: Refund, *, ask_again: bool) -> RefundStanding | None:
    order, provider = refund_order_of(refund), provider_named(refund.payment.provider)
    try:
        if ask_again and not refund.provider_id:
            return provider.refund(order)
        found = provider.look_at_refund(order)
        return found or _refused(refund, "the provider has no record of it")
    except ProviderRefused as refused:
        return _refused(refund, refused.why)
    except ProviderAway as away:
        log.warning("refund_unconfirmed", refund_id=str(refund.id), error=str(away))
        return None


def _refused(refund: Refund, why: str) -> RefundStanding:
    order = refund_order_of(refund)
    return RefundStanding(
        "failed", order.currency, order.amount_micros, refund.provider_id, order.provider_id, refund.id, why
    )


def ask_pending_refunds(every: timedelta, most: int) -> int:
    """Request refunds again that got no response or that take long. Return their number."""
    with books():
        pending = Refund.objects.filter(status=Payment.Status.PENDING, created_at__lt=Now() - every)
        due = pending.filter(checked_at=None) | pending.filter(checked_at__lt=Now() - every)
        ids = list(due.order_by("created_at").values_list("id", flat=True)[:most])
    for refund_id in ids:
        ask_refund(refund_id)
    return len(ids)


def _check(payment: Payment, amount_micros: int, reason: str) -> None:
    if payment.status != Payment.Status.SUCCEEDED:
        raise NotRefundable(f"{payment} was not received. Its status is {payment.status}.")
    left, unit = payment.amount_micros - payment.refunded_micros, unit_micros(payment.currency)
    if not 0 < amount_micros <= left or amount_micros % unit:
        raise NotRefundable(
            f"{money(amount_micros, payment.currency)} of {payment} cannot be refunded. Up to "
            f"{money(left, payment.currency)} can be refunded, in steps of {money(unit, payment.currency)}."
        )
    if not reason.strip():
        raise NotRefundable("Enter a reason for the refund. It is recorded in the ledger.")


def read_back_disputes() -> int:
    """Read disputes whose events may be lost, outside a transaction, and return the number of new reports."""
    provider = card_provider()
    if provider is None:
        return 0
    with operator_work():
        since = database_now() - LOOKED_BACK
    try:
        disputes = list(provider.disputes_since(since))
    except (ProviderAway, ProviderRefused) as error:
        log.warning("disputes_not_fetched", error=str(error))
        return 0
    return sum(_read_back(dispute, provider.name) for dispute in disputes)


def _read_back(dispute: DisputeStanding, provider: str) -> bool:
    with books():
        found = payment_of(None, dispute.of_provider_id, provider)
        if found is None or (found.dispute, found.dispute_id) == (dispute.status, dispute.provider_id):
            return False
        return take_dispute(dispute, provider) != RECEIVED_LATE


def take_dispute(reported: DisputeStanding, provider: str) -> str:
    """Record a dispute while it is open. If it is lost, the money went back and is owed again."""
    found = payment_of(None, reported.of_provider_id, provider)
    if found is None:
        return NOT_OURS
    payment, _ = locked_payment(found.id)
    status, dispute_id, reason = reported.status, reported.provider_id, reported.reason
    if payment.dispute_id in ("", dispute_id) and payment.dispute in ENDED and status not in ENDED:
        return RECEIVED_LATE
    if (payment.dispute, payment.dispute_id) != (status, dispute_id):
        Payment.objects.filter(id=payment.id).update(dispute=status, dispute_id=dispute_id)
        tell(payment, "payment.disputed", reported.amount_micros, f"{status}: {reason}" if reason else status)
    log.warning("payment_disputed", tenant_id=str(payment.tenant_id), payment_id=str(payment.id), status=status)
    if status != "lost":
        return f"dispute {status}"
    if reported.currency != payment.currency:
        note_difference(told_otherwise(payment, reported.amount_micros))
        return "in another currency: ledger mismatch"
    why = f"dispute lost: {reason}"
    refund = decided_elsewhere(payment, dispute_id, reported.amount_micros, why, owed_again=True)
    if isinstance(refund, str):
        return refund
    lost = RefundStanding(
        "succeeded", payment.currency, reported.amount_micros, dispute_id, reported.of_provider_id, refund.id
    )
    return take_refund(lost, provider)
