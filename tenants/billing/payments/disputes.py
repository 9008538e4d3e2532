"""Records a provider's reports about disputes, in whatever order they arrive."""

from datetime import timedelta

import structlog

from tenants.billing.ledger.reconciling import note_difference
from tenants.billing.payments.models import DISPUTES_LEFT_BEHIND, Payment
from tenants.billing.payments.payment_work import books, locked_payment
from tenants.billing.payments.provider.errors import ProviderAway, ProviderRefused
from tenants.billing.payments.provider.protocol import DisputeStanding, RefundStanding
from tenants.billing.payments.provider_actions import tell
from tenants.billing.payments.providers import card_provider
from tenants.billing.payments.settling import (
    NOT_OURS,
    decided_elsewhere,
    payment_of,
    take_refund,
    told_otherwise,
)
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
ENDED = ("lost", *DISPUTES_LEFT_BEHIND)
LOOKED_BACK = timedelta(days=180)
"""The time that is looked back. Months may pass until a dispute is decided."""
TOLD_LATE = "told late: it has ended since"


def read_back_disputes() -> int:
    """Read the disputes from the provider, because an event may have been lost, and return the number of new reports.
    Call it outside a transaction. If the provider is unavailable, the next run asks again.
    """
    provider = card_provider()
    if provider is None:
        return 0
    with operator_work():
        since = database_now() - LOOKED_BACK
    try:
        told = list(provider.disputes_since(since))
    except (ProviderAway, ProviderRefused) as error:
        log.warning("disputes_not_fetched", error=str(error))
        return 0
    return sum(_read_back(dispute, provider.name) for dispute in told)


def _read_back(dispute: DisputeStanding, provider: str) -> bool:
    with books():
        found = payment_of(None, dispute.of_provider_id, provider)
        if found is None or (found.dispute, found.dispute_id) == (dispute.status, dispute.provider_id):
            return False
        return take_dispute(dispute, provider) != TOLD_LATE


def take_dispute(told: DisputeStanding, provider: str) -> str:
    """Record a dispute while it is open. If it is lost, the money went back and is owed again."""
    found = payment_of(None, told.of_provider_id, provider)
    if found is None:
        return NOT_OURS
    payment, _ = locked_payment(found.id)
    status, dispute_id, reason = told.status, told.provider_id, told.reason
    if _is_late(payment, dispute_id, status):
        return TOLD_LATE
    if (payment.dispute, payment.dispute_id) != (status, dispute_id):
        Payment.objects.filter(id=payment.id).update(dispute=status, dispute_id=dispute_id)
        tell(payment, "payment.disputed", told.amount_micros, f"{status}: {reason}" if reason else status)
    log.warning(
        "payment_disputed", tenant_id=str(payment.tenant_id), payment_id=str(payment.id), status=status
    )
    if status != "lost":
        return f"dispute {status}"
    if told.currency != payment.currency:
        note_difference(told_otherwise(payment, told.amount_micros))
        return "is of another currency: a difference"
    why = f"dispute lost: {reason}"
    refund = decided_elsewhere(payment, dispute_id, told.amount_micros, why, owed_again=True)
    if isinstance(refund, str):
        return refund
    lost = RefundStanding(
        "succeeded", payment.currency, told.amount_micros, dispute_id, told.of_provider_id, refund.id
    )
    return take_refund(lost, provider)


def _is_late(payment: Payment, dispute_id: str, status: str) -> bool:
    """Return whether the report is late: an open dispute cannot follow the end of the same one. Another dispute of the
    payment can.
    """
    same = payment.dispute_id in ("", dispute_id)
    return same and payment.dispute in ENDED and status not in ENDED
