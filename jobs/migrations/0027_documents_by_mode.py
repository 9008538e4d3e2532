"""A document of a test and one that is charged are two, also where their bytes are the same.

Built while others go on writing, and so outside of a transaction; the migration can be run again, either way.
"""

from django.db import migrations, models

BY_MODE = """
CREATE UNIQUE INDEX CONCURRENTLY jobs_document_same_bytes_mode ON jobs_document (tenant_id, sha256, livemode)
WHERE deleted_at IS NULL
"""
BY_BYTES = """
CREATE UNIQUE INDEX CONCURRENTLY jobs_document_same_bytes ON jobs_document (tenant_id, sha256)
WHERE deleted_at IS NULL
"""
# The version before knows one document of the same bytes: of two, the one of a test goes, and its file with the tenant's.
# Rows are behind the wall for the table's owner too.
ONE_OF_TWO = """
DO $$ BEGIN
ALTER TABLE jobs_document NO FORCE ROW LEVEL SECURITY;
UPDATE jobs_document test SET deleted_at = clock_timestamp()
WHERE NOT livemode AND deleted_at IS NULL AND EXISTS (
    SELECT FROM jobs_document live WHERE live.tenant_id = test.tenant_id AND live.sha256 = test.sha256
      AND live.livemode AND live.deleted_at IS NULL
);
ALTER TABLE jobs_document FORCE ROW LEVEL SECURITY;
END $$
"""


def dropped(name: str) -> str:
    return f"DROP INDEX CONCURRENTLY IF EXISTS {name}"


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0026_ends_stay")]

    operations = [
        migrations.RunSQL(dropped("jobs_document_same_bytes_mode"), migrations.RunSQL.noop),
        migrations.RunSQL(BY_MODE, dropped("jobs_document_same_bytes_mode")),
        migrations.RunSQL(dropped("jobs_document_same_bytes"), BY_BYTES),
        migrations.RunSQL(migrations.RunSQL.noop, dropped("jobs_document_same_bytes")),
        migrations.RunSQL(migrations.RunSQL.noop, ONE_OF_TWO),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("document", "jobs_document_same_bytes"),
                migrations.AddConstraint(
                    "document",
                    models.UniqueConstraint(
                        condition=models.Q(deleted_at=None),
                        fields=("tenant", "sha256", "livemode"),
                        name="jobs_document_same_bytes_mode",
                    ),
                ),
            ]
        ),
    ]
