"""Uploads whose bytes go to the storage itself, in parts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0033_money_index")]

    operations = [
        migrations.AddField(
            "resumableupload",
            "part_bytes",
            models.PositiveBigIntegerField(
                default=0, db_default=0, help_text="0, or it is sent to the storage itself, in parts of so many bytes."
            ),
        ),
        migrations.AddField(
            "resumableupload",
            "parts_id",
            models.TextField(
                blank=True, db_default="", help_text="What the storage calls these parts, once it has been told of them."
            ),
        ),
    ]
