"""Bodies that receivers of webhooks answered are erased: the documents promised that none is kept."""

from django.db import migrations, models

# Rows are behind the wall for the table's owner too.
ERASE = """
DO $$ BEGIN
ALTER TABLE jobs_webhookattempt NO FORCE ROW LEVEL SECURITY;
UPDATE jobs_webhookattempt SET answer = '' WHERE answer <> '';
ALTER TABLE jobs_webhookattempt FORCE ROW LEVEL SECURITY;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0050_held_keys")]

    operations = [
        migrations.RunSQL(ERASE, migrations.RunSQL.noop),
        migrations.AlterField(
            "webhookattempt",
            "answer",
            models.TextField(
                blank=True, help_text="The beginning of a failure's body, where it is kept."
            ),
        ),
    ]
