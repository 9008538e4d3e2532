from django.db import migrations

# Lines of a sum, written by triggers (sql/70_queued_pages.sql), which also count the pages that wait already. There are
# no keys, since each page that is claimed adds a line.
CREATE = """
CREATE TABLE jobs_queuedpages (model_version_id bigint NOT NULL, pages bigint NOT NULL);
ALTER TABLE jobs_queuedpages SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
"""


class Migration(migrations.Migration):
    """Add a count of the pages that wait for each version."""

    dependencies = [("jobs", "0025_storage_of_large_tables")]
    operations = [migrations.RunSQL(CREATE)]
