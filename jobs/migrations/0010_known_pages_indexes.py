"""By what known pages are found, and which page is the one that runs.

Each index is built while others go on writing, and so outside of a transaction. What an attempt that was broken off has
left is taken away first: the migration can be run again.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

INDEXES = (
    models.Index(
        condition=models.Q(("cache_key__isnull", False), ("state", "succeeded")),
        fields=["tenant", "cache_key", "-result_at"],
        name="jobs_page_known",
    ),
    models.Index(
        condition=models.Q(("state", "queued"), ("waits_for__isnull", False)),
        fields=["tenant", "waits_for"],
        name="jobs_page_waiting",
    ),
)
ONE_RUN = models.UniqueConstraint(
    condition=models.Q(("state", "running")), fields=("tenant", "cache_key"), name="jobs_page_one_run"
)


def dropped(name: str) -> migrations.RunSQL:
    return migrations.RunSQL(f"DROP INDEX CONCURRENTLY IF EXISTS {name}", migrations.RunSQL.noop)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0009_known_pages")]

    operations = [
        *(step for index in INDEXES for step in (dropped(index.name), AddIndexConcurrently("page", index))),
        dropped(ONE_RUN.name),
        migrations.RunSQL(
            f"CREATE UNIQUE INDEX CONCURRENTLY {ONE_RUN.name} ON jobs_page (tenant_id, cache_key)"
            " WHERE state = 'running'",
            f"DROP INDEX CONCURRENTLY IF EXISTS {ONE_RUN.name}",
            state_operations=[migrations.AddConstraint("page", ONE_RUN)],
        ),
    ]
