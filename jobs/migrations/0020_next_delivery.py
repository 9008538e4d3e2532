"""By what it is seen that no delivery is due, however many wait for their hour. The table is younger than this."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0019_answers_to_keys")]

    operations = [
        migrations.AddIndex(
            "webhookdelivery",
            models.Index(
                condition=models.Q(("state", "pending")),
                fields=["next_attempt_at"],
                name="jobs_webhookdelivery_next",
            ),
        ),
    ]
