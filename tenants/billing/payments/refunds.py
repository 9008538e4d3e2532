"""Refunds. An operator decides them, their row is durable before the provider is asked, and they are booked after the
money is gone.
"""

from datetime import timedelta
from uuid import UUID

import structlog
from django.db.models.functions import Coalesce, Now

from tenants.audit.services import record
from tenants.billing.payments.models import Payment, Refund
from tenants.billing.payments.orders import refund_order_of
from tenants.billing.payments.payment_work import books, locked_payment, wait_for_form
from tenants.billing.payments.provider.errors import NotRefundable, ProviderAway, ProviderRefused
from tenants.billing.payments.provider.protocol import RefundStanding
from tenants.billing.payments.provider.schedule import may_ask_again
from tenants.billing.payments.providers import provider_named
from tenants.billing.payments.settling import take_refund
from tenants.core.db.clock import database_now
from tenants.core.shares import unit_micros
from tenants.plans.wording import money

log = structlog.get_logger(__name__)
LONGEST_REASON = 200


def decide_refund(
    *,
    payment_id: UUID,
    amount_micros: int,
    reason: str,
    made_by: str,
    owed_again: bool = False,
    once: UUID | None = None,
) -> Refund:
    """Create only the refund's row. It takes its amount from the payment, so that no other refund can use it. Raises
    NotRefundable.
    """
    with books():
        wait_for_form(once)
        payment, _ = locked_payment(payment_id)
        known = Refund.objects.filter(tenant_id=payment.tenant_id, once=once).first() if once else None
        if known is not None:
            return _same(known, (payment_id, amount_micros, owed_again))
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
        record(
            tenant_id=payment.tenant_id,
            action="payment.refunded",
            subject_id=payment.id,
            subject=f"{payment.reference}: {money(amount_micros, payment.currency)}",
            note=refund.reason,
        )
        return refund


def _same(known: Refund, asked: tuple[UUID, int, bool]) -> Refund:
    if asked != (known.payment_id, known.amount_micros, known.owed_again):
        raise NotRefundable(
            "you already refunded another amount with this form. Reload the payment and check its refunds."
        )
    return known


def ask_refund(refund_id: UUID) -> Refund:
    """Request the refund from the provider, outside any transaction. If no response comes, it stays pending and the
    scheduler continues.
    """
    with books():
        Refund.objects.filter(id=refund_id).update(
            requested_at=Coalesce("requested_at", Now()), checked_at=Now()
        )
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
        return found or _refused(refund, "the provider never heard of it")
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
