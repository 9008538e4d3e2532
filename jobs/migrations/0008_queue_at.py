import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    """Queued pages get the same position, and so stay in the order of their IDs."""

    dependencies = [("jobs", "0007_scans_of_pages")]

    operations = [
        migrations.AddField(
            model_name="page",
            name="queue_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(),
                editable=False,
                help_text="Pages of a queue are released in this order. Later pages of a job count as submitted later.",
                verbose_name="queue position",
            ),
        ),
    ]
