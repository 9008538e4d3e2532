"""Checks unfinished payments, because events get lost, pages are abandoned and responses do not come."""

from uuid import UUID

import structlog
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from tenants.billing.payments.charging import charge, is_still_wanted
from tenants.billing.payments.models import Payment
from tenants.billing.payments.payment_work import books, order_of
from tenants.billing.payments.protocol import (
    CHECKOUT_LASTS,
    LOOK_AFTER,
    LOOK_EVERY,
    ProviderAway,
    ProviderRefused,
    may_ask_again,
)
from tenants.billing.payments.providers import OFFLINE, card_provider, provider_named
from tenants.billing.payments.refunds import ask_pending_refunds
from tenants.billing.payments.services import give_up, take_look
from tenants.billing.payments.settling import take_standing
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
AT_ONCE = 50


def look_after_payments() -> int:
    """Check unfinished payments and refunds and return the number checked."""
    if card_provider() is None:
        return 0
    close_needless_pages()
    looked = sum(_look(payment_id) for payment_id in _due())
    return looked + ask_pending_refunds(LOOK_EVERY, AT_ONCE)


def _due() -> list[UUID]:
    with operator_work():
        found = _pending().filter(created_at__lt=Now() - LOOK_AFTER)
        due = found.filter(Q(checked_at=None) | Q(checked_at__lt=Now() - LOOK_EVERY))
        oldest = due.order_by(F("checked_at").asc(nulls_first=True), "created_at")
        return list(oldest.values_list("id", flat=True)[:AT_ONCE])


def _look(payment_id: UUID) -> bool:
    if not take_look(payment_id, LOOK_EVERY):
        return False
    try:
        look_at(payment_id)
    except (ProviderAway, ProviderRefused) as error:
        log.warning("payment_not_checked", payment_id=str(payment_id), error=str(error))
        return False
    except Exception:
        # A failure does not delay the others.
        log.exception("payment_check_failed", payment_id=str(payment_id))
        return False
    return True


def look_at(payment_id: UUID) -> None:
    """Query the provider about a payment and record the result. Raises ProviderAway and ProviderRefused."""
    with operator_work():
        payment = Payment.objects.get(id=payment_id)
        order = order_of(payment)
        now = database_now()
    standing = provider_named(payment.provider).look(order)
    if standing is not None:
        with books():
            take_standing(standing, payment.provider)
    elif payment.automatic and may_ask_again(payment.requested_at, now):
        _ask_again(payment)
    elif now > payment.created_at + CHECKOUT_LASTS:
        give_up(payment, "the provider has no record of it")


def _ask_again(payment: Payment) -> None:
    if is_still_wanted(payment.id):
        charge(payment.id)
    else:
        give_up(payment, "the amount was no longer due")


def close_needless_pages() -> int:
    """Close the pages of invoices that were paid in another way, even in part, so that nobody pays them twice."""
    with operator_work():
        names = ("due", "paid", "credited", "written_off")
        due, paid, credited, written_off = (F(f"invoice__{name}_micros") for name in names)
        needless = _pending().filter(amount_micros__gt=due - paid - credited - written_off)
        found = needless.exclude(checkout_id="")
        unseen = found.filter(Q(checked_at=None) | Q(checked_at__lt=Now() - LOOK_AFTER))
        orders = [(payment, order_of(payment)) for payment in unseen[:AT_ONCE]]
    provider = card_provider()
    for payment, order in orders:
        try:
            if provider is not None and take_look(payment.id, LOOK_AFTER):
                provider.close(order)
                look_at(payment.id)
        except (ProviderAway, ProviderRefused) as error:
            log.warning("payment_not_checked", payment_id=str(payment.id), error=str(error))
    return len(orders)


def _pending() -> "QuerySet[Payment]":
    return Payment.objects.filter(status=Payment.Status.PENDING).exclude(provider=OFFLINE)
