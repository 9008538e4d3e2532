"""A job remembers the place of its last event in the tenant's stream, so that its next one cannot come before it.

The column is not mapped: `jobs/events/log.py` alone reads and writes it. It is new and empty, so no row is written.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("jobs", "0014_fair_release_index")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE jobs_job ADD COLUMN last_xid xid8;", "ALTER TABLE jobs_job DROP COLUMN last_xid;"
        ),
    ]
