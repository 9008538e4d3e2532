"""By what the next page of a job is found, however many of its pages have ended.

Built while others go on writing, and so outside of a transaction; the migration can be run again.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0020_next_delivery")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_page_unfinished", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "page",
            models.Index(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=["job", "-state", "number"],
                name="jobs_page_unfinished",
            ),
        ),
    ]
