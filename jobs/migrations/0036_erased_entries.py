"""By the document that an entry became its name is found, to go with it. Built while others go on writing."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0035_notices_tried_again")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_archiveentry_became", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "archiveentry",
            models.Index(
                fields=["document_id"],
                condition=models.Q(document_id__isnull=False),
                name="jobs_archiveentry_became",
            ),
        ),
    ]
