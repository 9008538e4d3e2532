"""The events of jobs, in order."""

from django.db import models
from django.db.models.functions import Now

from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned


class Event(TenantOwned):
    """An event, numbered within its job and written in the transaction that caused it.

    A database column `xid`, which is not mapped here, holds the transaction that writes the event, or a later
    transaction that wrote the event before it. With it, a reader of the tenant's whole stream can stop below the oldest
    transaction that still runs, and never skips an event that is committed late.
    """

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # rows are many and ordered
    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="events", db_constraint=False, db_index=False
    )
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["job", "seq"], name="jobs_event_seq"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"
