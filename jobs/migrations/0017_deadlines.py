"""By when a job must be done. New columns without a value: no row is written."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0016_webhooks")]

    operations = [
        migrations.AddField(
            "job",
            "expires_at",
            models.DateTimeField(help_text="If it is not done by then it ends as expired.", null=True),
        ),
        migrations.AddField(
            "job",
            "cancel_at",
            models.DateTimeField(help_text="If it is not done by then it is canceled.", null=True),
        ),
    ]
