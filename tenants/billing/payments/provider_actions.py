"""Records a provider's actions in the account's audit log. Neither a member of the account nor an operator did them."""

from tenants.audit.acting import Acting, acting_as
from tenants.audit.services import record
from tenants.billing.payments.bank_transfer import OFFLINE
from tenants.billing.payments.models import Payment
from tenants.plans.wording import money


def tell(payment: Payment, action: str, amount_micros: int, note: str = "") -> None:
    """Record an action under the provider's name, because the person whose request is in progress did not decide it.
    Transfers are left out, because an operator records their result.
    """
    if payment.provider == OFFLINE:
        return
    with acting_as(lambda: Acting(name=payment.provider.capitalize())):
        record(
            tenant_id=payment.tenant_id,
            action=action,
            subject_id=payment.id,
            subject=f"{payment.reference}: {money(amount_micros, payment.currency)}",
            note=note,
        )
