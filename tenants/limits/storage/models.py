"""Changes to the number of bytes that a tenant has stored. Each change is a row of a sum, so that no transaction waits
for another.
"""

from django.db import models

from tenants.core.db.tenant_owned import TenantOwned


class StoredBytes(TenantOwned):
    """A change to the stored bytes of a tenant. Triggers write it in the transaction that stores or erases. The
    scheduler folds the rows of a tenant into one.
    """

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # many rows, none with a meaning of its own
    size_bytes = models.BigIntegerField(help_text="Negative if data was erased.")

    def __str__(self) -> str:
        return f"{self.size_bytes:+,} bytes of {self.tenant_id}"
