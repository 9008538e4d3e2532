"""What known lines of a batch cost, fixed when its file has been checked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0011_batch_pieces")]

    operations = [
        migrations.AddField(
            "batch",
            "cached_price",
            models.JSONField(
                help_text="Of lines whose answers are known, as it was then; null in old batches.", null=True
            ),
        ),
    ]
