"""Whether callers share a model's runs, as operators say."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("inference", "0004_batch_settings")]

    operations = [
        migrations.AddField(
            model_name="batchsetting",
            name="sharing",
            field=models.CharField(
                blank=True,
                choices=[("proven", "proven"), ("tried", "tried"), ("never", "never")],
                default="",
                help_text="Whether one run may hold what several callers have sent.",
                max_length=10,
            ),
        )
    ]
