"""Reads of a tenant's tier."""

from uuid import UUID

from tenants.plans.models import ChosenLimits


def tier_name_of(tenant_id: UUID) -> str | None:
    """Return the name of the tenant's tier or its plan's, or None. Call this in its unit of work or operator work."""
    return ChosenLimits.objects.filter(pk=tenant_id).values_list("tier__name", flat=True).first()
