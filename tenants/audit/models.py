"""The audit log of an account."""

from django.contrib.postgres.functions import TransactionNow
from django.db import models

from tenants.audit.acting import KINDS, SYSTEM
from tenants.core.db.tenant_owned import TenantOwned


class AuditEntry(TenantOwned):
    """An action in an audit log. It keeps the ids and names of that time, because it outlives them all."""

    at = models.DateTimeField(db_default=TransactionNow(), editable=False)
    action = models.CharField("action code", max_length=60, help_text="For example key.created.")
    actor_kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in KINDS], default=SYSTEM)
    actor_id = models.UUIDField(null=True, help_text="ID of the user, the API key or the operator.")
    actor_name = models.CharField(max_length=254, blank=True, help_text="Empty for operators.")
    behalf_of = models.CharField(
        "on behalf of", max_length=254, blank=True, help_text="The member that the operator acted as."
    )
    subject_id = models.CharField(max_length=100, blank=True)
    subject_name = models.CharField(max_length=254, blank=True)
    changes = models.JSONField(default=dict, help_text="Old and new value of each field.")
    note = models.CharField(max_length=500, blank=True)
    address = models.CharField("IP address", max_length=45, blank=True)
    user_agent = models.CharField(max_length=400, blank=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta(TenantOwned.Meta):
        verbose_name = "tenant audit entry"
        verbose_name_plural = "tenant audit entries"
        indexes = [
            models.Index(fields=["actor_id", "id"], name="tenants_auditentry_actor"),
            models.Index(fields=["subject_id", "id"], name="tenants_auditentry_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.action} at {self.at:%Y-%m-%d %H:%M:%S}"
