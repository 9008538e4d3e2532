"""What was added to, or taken from, the bytes that a tenant has stored: lines of a sum, so that nobody waits."""

from django.db import models

from tenants.core.db.tenant_owned import TenantOwned


class StoredBytes(TenantOwned):
    """Written by triggers, in the transaction that stores or erases; folded into one by the scheduler."""

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # rows are many and mean nothing alone
    size_bytes = models.BigIntegerField(help_text="Less than 0 where something was erased.")

    def __str__(self) -> str:
        return f"{self.size_bytes:+,} bytes of {self.tenant_id}"
