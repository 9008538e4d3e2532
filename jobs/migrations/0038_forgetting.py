"""By what rows are found that say what was, and may go. Built while others go on writing; it can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0037_inputs_stay")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_job_erased", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "job",
            models.Index(
                fields=["erased_at"],
                condition=models.Q(erased_at__isnull=False),
                name="jobs_job_erased",
            ),
        ),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_document_erased", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "document",
            models.Index(
                fields=["deleted_at"],
                condition=models.Q(deleted_at__isnull=False),
                name="jobs_document_erased",
            ),
        ),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_resumableupload_ended", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "resumableupload",
            models.Index(
                fields=["ended_at"],
                condition=models.Q(ended_at__isnull=False),
                name="jobs_resumableupload_ended",
            ),
        ),
    ]
