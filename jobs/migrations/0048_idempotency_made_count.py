"""Requests whose answer is how many they have made, rather than one that could be shown again, have it kept by their key."""

from django.db import migrations, models

# The version before has no answer for them. Rows are behind the wall for the table's owner too.
WITHOUT_COUNTS = """
DO $$ BEGIN
ALTER TABLE jobs_idempotencykey NO FORCE ROW LEVEL SECURITY;
DELETE FROM jobs_idempotencykey WHERE made_count IS NOT NULL;
ALTER TABLE jobs_idempotencykey FORCE ROW LEVEL SECURITY;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0047_search_by_mode")]

    operations = [
        migrations.AddField(
            "idempotencykey",
            "made_count",
            models.PositiveIntegerField(
                null=True,
                help_text="How many were told, where that is the answer and no single one of them is.",
            ),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, WITHOUT_COUNTS),
    ]
