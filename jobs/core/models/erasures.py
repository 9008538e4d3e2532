"""Why something was erased, and the files that are to be erased from storage."""

from django.db import models

from tenants.core.db.tenant_owned import TenantOwned


class ErasedBecause(models.TextChoices):
    """Why something was erased: what its tenant is told afterwards."""

    REQUEST = "request", "on request"
    OPERATOR = "operator", "by the operator of this service"
    RETENTION = "retention", "because its time was over"


class FileToErase(TenantOwned):
    """An order to erase a file from storage; see jobs/documents/erasure.py for who writes and withdraws it."""

    name = models.CharField(max_length=300)
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "name"], name="jobs_filetoerase_once"),
        ]
        indexes = [models.Index(fields=["due_at"], name="jobs_filetoerase_due")]

    def __str__(self) -> str:
        return self.name
