"""Mails that a server would not take now are sent later: who was told already, and when the next try is."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0034_direct_uploads")]

    operations = [
        migrations.AddField(
            "webhookendpoint",
            "tell_at",
            models.DateTimeField(
                editable=False, help_text="When to try again to mail those who were not told yet.", null=True
            ),
        ),
        migrations.AddField(
            "webhookendpoint",
            "tell_tries",
            models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            "webhookendpoint",
            "told_ids",
            ArrayField(
                models.UUIDField(),
                db_default=[],
                default=list,
                editable=False,
                help_text="Whom there is no need to mail any more, while others are not told yet.",
            ),
        ),
    ]
