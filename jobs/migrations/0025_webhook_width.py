"""How many requests an endpoint may have at once, and when its owners were told that it was disabled."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0024_kept_jobs_index")]

    operations = [
        migrations.AddField(
            "webhookendpoint",
            "width",
            models.PositiveSmallIntegerField(
                db_default=2,
                default=2,
                help_text="How many requests may be under way to it: more while it answers fast, one after a failure.",
            ),
        ),
        migrations.AddField(
            "webhookendpoint",
            "told_at",
            models.DateTimeField(
                editable=False, help_text="When its owners were mailed that it was disabled.", null=True
            ),
        ),
    ]
