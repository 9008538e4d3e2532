"""The corrections that people made in the results of pages."""

from django.db import models
from django.db.models.functions import Now

from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned


class Correction(TenantOwned):
    """A correction of a line, cell, class or field. The last one of a place counts until it is undone."""

    class Kind(models.TextChoices):
        LINE = "line"
        CLASS = "class"
        CELL = "cell"
        FIELD = "field"

    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="corrections", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField("page number", help_text="0 for the whole document: its class, or a field.")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    table = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Position of the cell's table. 0 for lines and classes."
    )
    index = models.PositiveIntegerField(default=0, help_text="Position of the line or cell. 0 for a class.")
    name = models.CharField(
        max_length=60, blank=True, default="", db_default="", help_text="Name of the field. Empty for all others."
    )
    details = models.JSONField(null=True, help_text="Type, page and box of the field. Null for all others.")
    original = models.TextField(blank=True)
    corrected = models.TextField()
    author = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, editable=False, help_text="When it was replaced or undone.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["job", "number", "kind", "table", "index", "name"],
                condition=models.Q(ended_at__isnull=True),
                name="jobs_correction_current",
            ),
        ]
        indexes = [models.Index(fields=["job", "number"], name="jobs_correction_of_job")]

    def __str__(self) -> str:
        if self.kind == self.Kind.CELL:
            return f"cell {self.index} of table {self.table} of page {self.number} of {self.job_id}"
        if self.kind == self.Kind.FIELD:
            return f"field {self.name} of {self.job_id}"
        return f"{self.kind} {self.index} of page {self.number} of {self.job_id}"
