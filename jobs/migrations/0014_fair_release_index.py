"""By what is found whose pages wait to be released.

The index is built while others go on writing, and so outside of a transaction. What an attempt that was broken off has
left is taken away first: the migration can be run again.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0013_fair_release")]

    operations = [
        migrations.RunSQL(
            "DROP INDEX CONCURRENTLY IF EXISTS jobs_page_lines",
            migrations.RunSQL.noop,
        ),
        AddIndexConcurrently(
            "page",
            models.Index(
                condition=models.Q(("state", "queued"), ("wake_again_at__isnull", True)),
                fields=["model_version", "priority", "tenant", "id", "run_after"],
                name="jobs_page_lines",
            ),
        ),
    ]
