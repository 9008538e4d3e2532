"""Limits of one tenant for one model."""

from django.db import models

from tenants.core.db.tenant_owned import TenantOwned
from tenants.limits.fields import OF_ACCOUNT, own_limit
from tenants.limits.rates.rates import MAX_AT_ONCE


class ModelLimit(TenantOwned):
    """The limits of a tenant for one model. They apply in addition to its other limits."""

    audit_kind = "model_limit"

    model = models.CharField(max_length=100, help_text="Model name, such as embed. All versions count together.")
    requests_per_minute = own_limit("requests per minute", OF_ACCOUNT, least=1)
    tokens_per_minute = own_limit("tokens per minute", OF_ACCOUNT, least=1)
    pages_per_minute = own_limit("pages per minute", OF_ACCOUNT, least=1)
    calls_at_once = own_limit("concurrent calls", OF_ACCOUNT, least=1, most=MAX_AT_ONCE)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "model"], name="tenants_modellimit_once"),
        ]

    def __str__(self) -> str:
        return f"{self.model} for {self.tenant.name}"
