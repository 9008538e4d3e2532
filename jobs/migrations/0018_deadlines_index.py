"""By what overdue jobs are found. Built while others go on writing; the migration can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Least


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0017_deadlines")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_job_overdue", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "job",
            models.Index(
                Least("expires_at", "cancel_at"),
                condition=models.Q(state__in=["queued", "running"])
                & (models.Q(expires_at__isnull=False) | models.Q(cancel_at__isnull=False)),
                name="jobs_job_overdue",
            ),
        ),
    ]
