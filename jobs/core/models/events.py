"""What happened to jobs, in order."""

from django.db import models
from django.db.models.functions import Now

from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned


class Event(TenantOwned):
    """What happened, numbered per job, written in the transaction that made it so.

    A database column `xid` (not mapped here) holds the writing transaction, or a later one that wrote the event before,
    so that a reader of the tenant's whole
    stream can stop below the oldest transaction still running and never skip one that commits late.
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
