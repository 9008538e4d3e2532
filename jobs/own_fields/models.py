"""The tables of a tenant's own fields, and of the examples that they were learned from."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from jobs.core.models import Job
from jobs.core.reading_flags import LONGEST_LABEL
from jobs.own_fields.settings import LONGEST_NAME, LONGEST_SYNONYM, LONGEST_TITLE
from tenants.core.db.tenant_owned import TenantOwned

LONGEST_AUTHOR = 254


class OwnField(TenantOwned):
    """A field that is looked for in every document of its classes. It has a mode, as the jobs have."""

    name = models.CharField(max_length=LONGEST_NAME)
    title = models.CharField(max_length=LONGEST_TITLE)
    type = models.CharField(max_length=20, help_text="A type of inference/own_fields/definition.py.")
    labels = ArrayField(
        models.CharField(max_length=LONGEST_SYNONYM), default=list, help_text="Texts that stand beside the value."
    )
    place = models.CharField(max_length=20, help_text="Where the value is, seen from its label.")
    classes = ArrayField(
        models.CharField(max_length=LONGEST_LABEL),
        default=list,
        help_text="Classes of documents that have the field. Empty for every document.",
    )
    livemode = models.BooleanField(default=True)
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        verbose_name = "own field"
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "name", "livemode"], name="jobs_ownfield_name"),
        ]

    def __str__(self) -> str:
        return self.name


class OwnFieldExample(TenantOwned):
    """A value that a person pointed at. When its job is erased, only what was learned from it stays."""

    field = models.ForeignKey(
        OwnField, on_delete=models.CASCADE, related_name="examples", db_constraint=False, db_index=False
    )
    job = models.ForeignKey(
        Job, null=True, on_delete=models.SET_NULL, related_name="+", db_constraint=False, db_index=False
    )
    page = models.PositiveIntegerField("page number", null=True)
    box = ArrayField(
        models.FloatField(), null=True, help_text="Left, top, right and bottom on the picture of the page."
    )
    trace = models.JSONField(help_text="What was learned: the label, the place and the shape of the value.")
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        verbose_name = "example of an own field"
        indexes = [
            models.Index(fields=["field"], name="jobs_ownexample_of_field"),
            models.Index(fields=["job"], condition=models.Q(job__isnull=False), name="jobs_ownexample_of_job"),
        ]

    def __str__(self) -> str:
        return f"example of {self.field_id}"
