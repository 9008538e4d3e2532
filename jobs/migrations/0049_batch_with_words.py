"""By what batches are found whose words may go. Built while others go on writing; it can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0048_idempotency_made_count")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_batch_with_words", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "batch",
            models.Index(
                fields=["tenant", "livemode", "finished_at"],
                condition=models.Q(("metadata__isnull", False), ("errors__isnull", False), _connector="OR"),
                name="jobs_batch_with_words",
            ),
        ),
    ]
