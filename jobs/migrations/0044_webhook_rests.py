"""An endpoint whose server is down is left alone for a while: how often it failed in a row, and until when."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0043_places_of_first_events")]

    operations = [
        migrations.AddField(
            "webhookendpoint",
            "failures",
            models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="Requests in a row that got no answer, or one that says that the server is at fault.",
            ),
        ),
        migrations.AddField(
            "webhookendpoint",
            "rests_until",
            models.DateTimeField(
                null=True, help_text="After some of those nothing is sent to it until then, and then one message."
            ),
        ),
    ]
