"""Changes to the bytes that a tenant has stored: rows of a sum, so that no transaction waits for another."""

from django.db import models

from tenants.core.db.tenant_owned import TenantOwned


class StoredBytes(TenantOwned):
    """A change, written by triggers in the transaction that stores or erases. The scheduler folds the rows."""

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # many rows, none with a meaning of its own
    size_bytes = models.BigIntegerField(help_text="Negative if data was erased.")

    def __str__(self) -> str:
        return f"{self.size_bytes:+,} bytes of {self.tenant_id}"
