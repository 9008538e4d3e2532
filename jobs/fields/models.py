"""The values of fields in columns, so that lists find the documents that have them."""

from django.db import models

from jobs.core.models import Job
from jobs.fields.names import LONGEST_NAME
from tenants.core.db.tenant_owned import TenantOwned

LONGEST_TEXT = 200


class FieldValue(TenantOwned):
    """A field of a job, written by a trigger whenever the fields of the job change.

    Lists cannot look into the fields of jobs themselves: row-level security lets no condition on JSON use an index.
    """

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # rows are many
    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="field_values", db_constraint=False, db_index=False
    )
    name = models.CharField(max_length=LONGEST_NAME)
    text = models.CharField(max_length=LONGEST_TEXT, help_text="Normalized or written value in small letters.")
    number = models.BigIntegerField(null=True, help_text="Amount or number, in ten-thousandths.")
    day = models.DateField(null=True)

    class Meta(TenantOwned.Meta):
        indexes = [
            models.Index(fields=["tenant", "job", "name"], name="jobs_fieldvalue_of_job"),
            models.Index(fields=["tenant", "name", "text", "job"], name="jobs_fieldvalue_text"),
            models.Index(
                fields=["tenant", "name", "number", "job"],
                condition=models.Q(number__isnull=False),
                name="jobs_fieldvalue_number",
            ),
            models.Index(
                fields=["tenant", "name", "day", "job"],
                condition=models.Q(day__isnull=False),
                name="jobs_fieldvalue_day",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.job_id}"
