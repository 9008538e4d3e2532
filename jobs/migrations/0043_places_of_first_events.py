"""A new job remembers the place of its first event without a second write: it is its transaction's, like the event's.

Rows that are there keep what they have.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("jobs", "0042_erasure_fence")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE jobs_job ALTER COLUMN last_xid SET DEFAULT pg_current_xact_id();",
            "ALTER TABLE jobs_job ALTER COLUMN last_xid DROP DEFAULT;",
        ),
    ]
