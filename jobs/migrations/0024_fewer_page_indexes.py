from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Leave out what made each update of a page or job write to more indexes than a request reads.

    No index names `lease_until` any more, so that the renewal of a lease writes to none: the pages that run are few,
    and are found by the index of those. Pages that wait or run are no longer in the index of unsuccessful ones, and
    jobs that retry nothing are not in that of retries.
    """

    atomic = False
    dependencies = [("jobs", "0023_uploads_of_models")]

    operations = [
        AddIndexConcurrently(
            model_name="page",
            index=models.Index(
                condition=models.Q(("state__in", ["failed", "canceled"])),
                fields=["state", "-id"],
                name="jobs_page_failed",
            ),
        ),
        RemoveIndexConcurrently(model_name="page", name="jobs_page_unsuccessful"),
        RemoveIndexConcurrently(model_name="page", name="jobs_page_leases"),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS jobs_job_retry_of_id_376fde47"),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="job",
                    name="retry_of",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="retries",
                        to="jobs.job",
                    ),
                ),
            ],
        ),
        AddIndexConcurrently(
            model_name="job",
            index=models.Index(
                condition=models.Q(("retry_of__isnull", False)), fields=["retry_of"], name="jobs_job_retry_of"
            ),
        ),
    ]
