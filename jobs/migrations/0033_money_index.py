"""By what open holds are found. Built while others go on writing; the migration can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0032_money")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_job_holds_money", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "job",
            models.Index(
                fields=["tenant", "id"],
                condition=models.Q(held_micros__isnull=False),
                name="jobs_job_holds_money",
            ),
        ),
    ]
