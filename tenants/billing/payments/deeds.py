"""What a provider brings about, in the account's audit log: nobody of the account did it, and nobody of ours."""

from tenants.audit.acting import Acting, acting_as
from tenants.audit.services import record
from tenants.billing.payments.models import Payment
from tenants.billing.payments.offline import OFFLINE
from tenants.plans.wording import money


def tell(payment: Payment, deed: str, amount_micros: int, note: str = "") -> None:
    """Whoever waits for a page meanwhile did not decide it. Of transfers an operator says what became of them."""
    if payment.provider == OFFLINE:
        return
    with acting_as(lambda: Acting(name=payment.provider.capitalize())):
        record(
            tenant_id=payment.tenant_id,
            deed=deed,
            subject_id=payment.id,
            subject=f"{payment.reference}: {money(amount_micros, payment.currency)}",
            note=note,
        )
