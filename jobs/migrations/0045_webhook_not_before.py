"""Until when an endpoint's server has asked to be left alone, whichever message it was answering."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0044_webhook_rests")]

    operations = [
        migrations.AddField(
            "webhookendpoint",
            "not_before",
            models.DateTimeField(
                null=True, help_text="Its server has asked to be left alone until then, with Retry-After."
            ),
        ),
    ]
