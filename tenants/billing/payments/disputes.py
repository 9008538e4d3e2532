"""Takes down what a provider says of a dispute, in whatever order it is told."""

import structlog

from tenants.billing.payments.books import locked_payment
from tenants.billing.payments.deeds import tell
from tenants.billing.payments.models import DISPUTES_LEFT_BEHIND, Payment
from tenants.billing.payments.provider import RefundStanding
from tenants.billing.payments.settling import NOT_OURS, decided_elsewhere, payment_of, take_refund

log = structlog.get_logger(__name__)
ENDED = ("lost", *DISPUTES_LEFT_BEHIND)
TOLD_LATE = "told late: it has ended since"


def take_dispute(
    *, provider: str, of_provider_id: str, dispute_id: str, status: str, amount_micros: int, reason: str
) -> str:
    """Recorded while it is open. One that is lost is money that went back, and is owed again."""
    found = payment_of(None, of_provider_id, provider)
    if found is None:
        return NOT_OURS
    payment, _ = locked_payment(found.id)
    if _is_late(payment, dispute_id, status):
        return TOLD_LATE
    if (payment.dispute, payment.dispute_id) != (status, dispute_id):
        Payment.objects.filter(id=payment.id).update(dispute=status, dispute_id=dispute_id)
        tell(payment, "payment.disputed", amount_micros, f"{status}: {reason}" if reason else status)
    log.warning(
        "payment_disputed", tenant_id=str(payment.tenant_id), payment_id=str(payment.id), status=status
    )
    if status != "lost":
        return f"dispute {status}"
    refund = decided_elsewhere(payment, dispute_id, amount_micros, f"dispute lost: {reason}", owed_again=True)
    if isinstance(refund, str):
        return refund
    lost = RefundStanding("succeeded", payment.currency, amount_micros, dispute_id, of_provider_id, refund.id)
    return take_refund(lost, provider)


def _is_late(payment: Payment, dispute_id: str, status: str) -> bool:
    """What is open does not follow what has ended; another dispute of the same payment may."""
    same = payment.dispute_id in ("", dispute_id)
    return same and payment.dispute in ENDED and status not in ENDED
