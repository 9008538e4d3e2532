"""Keys of every request that makes something, not of submissions alone.

Every column is new and has one value for all rows, so that no row is written. A process of the version before works on:
it writes keys of jobs, and reads those of jobs alone.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0018_deadlines_index")]

    operations = [
        migrations.AddField(
            "idempotencykey",
            "operation",
            models.CharField(db_default="submit_job", default="submit_job", max_length=32),
        ),
        migrations.AddField(
            "idempotencykey",
            "status",
            models.PositiveSmallIntegerField(db_default=202, default=202, help_text="Of the first answer."),
        ),
        migrations.AddField(
            "idempotencykey",
            "made_id",
            models.UUIDField(help_text="Of what was made, where it is no job.", null=True),
        ),
        migrations.AlterField(
            "idempotencykey",
            "job",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="idempotency_keys",
                to="jobs.job",
            ),
        ),
        # The version before knows keys of jobs alone. Rows are behind the wall for the table's owner too.
        migrations.RunSQL(
            migrations.RunSQL.noop,
            "ALTER TABLE jobs_idempotencykey NO FORCE ROW LEVEL SECURITY;"
            " DELETE FROM jobs_idempotencykey WHERE job_id IS NULL;"
            " ALTER TABLE jobs_idempotencykey FORCE ROW LEVEL SECURITY;",
        ),
    ]
