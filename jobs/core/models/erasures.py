"""The reasons why something was erased, and the files that are to be erased from storage."""

from django.db import models

from tenants.core.db.tenant_owned import TenantOwned


class ErasedBecause(models.TextChoices):
    """The reason why something was erased, as its tenant is shown it afterwards."""

    REQUEST = "request", "on request"
    OPERATOR = "operator", "by the operator of this service"
    RETENTION = "retention", "after its retention period"


class FileToErase(TenantOwned):
    """An order to erase a file from storage, written and withdrawn by jobs/documents/erasure.py."""

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
