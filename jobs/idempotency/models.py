"""The tables of requests that may be sent again."""

from uuid import UUID

from django.db import models
from django.db.models.functions import Now

from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned


class IdempotencyKey(TenantOwned):
    """A caller's name for one request, stored with its response. See jobs/idempotency/idempotent_requests.py."""

    key = models.CharField(max_length=255)
    operation = models.CharField(max_length=32, default="submit_job", db_default="submit_job")
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(
        default=202, db_default=202, help_text="HTTP status of the first response."
    )
    job = models.ForeignKey(
        Job,
        null=True,
        on_delete=models.CASCADE,
        related_name="idempotency_keys",
        db_constraint=False,
        db_index=False,
    )
    made_id = models.UUIDField(null=True, help_text="ID of the created object, if it is not a job.")
    made_count = models.PositiveIntegerField(
        null=True, help_text="Number of notified objects, if the response is a count."
    )
    refusal = models.JSONField(null=True, help_text="Payment error of the first response, if nothing was created.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "key"], name="jobs_idempotencykey_once"),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="jobs_idempotencykey_age"),
            models.Index(fields=["job"], name="jobs_idempotencykey_of_job"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def result_id(self) -> UUID:
        made = self.job_id or self.made_id
        assert made is not None
        return made


class HeldKey(TenantOwned):
    """A key whose request works outside of any transaction. See jobs/idempotency/holds.py. Its id is the proof."""

    key = models.CharField(max_length=255)
    ends_at = models.DateTimeField(editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "key"], name="jobs_heldkey_once"),
        ]

    def __str__(self) -> str:
        return self.key
