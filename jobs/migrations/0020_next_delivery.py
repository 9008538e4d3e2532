"""By what it is seen that no delivery is due, however many wait for their hour.

Built while others go on writing, and so outside of a transaction; the migration can be run again.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0019_answers_to_keys")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_webhookdelivery_next", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "webhookdelivery",
            models.Index(
                condition=models.Q(("state", "pending")),
                fields=["next_attempt_at"],
                name="jobs_webhookdelivery_next",
            ),
        ),
    ]
