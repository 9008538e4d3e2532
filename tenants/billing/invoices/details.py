"""Sets a tenant's billing details, to which its invoices are addressed. Only the operator sets its tax."""

from uuid import UUID

from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.invoices.models import BillingDetails

OWN = ("name", "address", "country", "tax_id", "email", "reference")
"""The fields that a tenant sets itself."""


def set_billing_details(*, tenant_id: UUID, values: dict[str, object]) -> BillingDetails:
    """Set the details for invoices issued from now on. Call it in the tenant's unit of work or operator work."""
    before = BillingDetails.objects.select_for_update(no_key=True).filter(tenant_id=tenant_id).first()
    old = {name: getattr(before, name) for name in values} if before else {}
    details, _ = BillingDetails.objects.update_or_create(tenant_id=tenant_id, defaults=values)
    changes = changes_between(old, {name: value for name, value in values.items() if value or name in old})
    if changes:
        record(
            tenant_id=tenant_id,
            action="billing.changed",
            subject_id=details.pk,
            subject=details.name,
            changes=changes,
        )
    return details
