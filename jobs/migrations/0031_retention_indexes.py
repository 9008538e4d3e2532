"""By what those are found whose time is over. Built while others go on writing; the migration can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0030_documents_used")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_document_kept", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "document",
            models.Index(
                fields=["tenant", "livemode", "used_at"],
                condition=models.Q(deleted_at__isnull=True),
                name="jobs_document_kept",
            ),
        ),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_resumableupload_became", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "resumableupload",
            models.Index(
                fields=["document_id"],
                condition=models.Q(document_id__isnull=False),
                name="jobs_resumableupload_became",
            ),
        ),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_job_to_erase", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "job",
            models.Index(
                fields=["tenant", "livemode", "finished_at"],
                condition=models.Q(erased_at__isnull=True, finished_at__isnull=False),
                name="jobs_job_to_erase",
            ),
        ),
    ]
