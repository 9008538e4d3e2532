"""By what lists pass over erased jobs. Built while others go on writing; the migration can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0023_tombstones")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_job_kept", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "job",
            models.Index(
                fields=["tenant", "-id"], condition=models.Q(erased_at__isnull=True), name="jobs_job_kept"
            ),
        ),
    ]
