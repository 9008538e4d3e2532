"""What workers measure of model files, kept for the next start."""

import django.utils.timezone
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE)


class Migration(migrations.Migration):
    dependencies = [("inference", "0001_initial"), ("tenants", "0002_walls")]

    operations = [
        migrations.CreateModel(
            name="SessionProfile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("artifact", models.CharField(help_text="sha256 of the file.", max_length=64)),
                (
                    "device",
                    models.CharField(
                        help_text="Provider, processor and version of ONNX Runtime.", max_length=200
                    ),
                ),
                ("file_bytes", models.PositiveBigIntegerField(default=0)),
                (
                    "loaded_bytes",
                    models.PositiveBigIntegerField(default=0, help_text="In memory after load and warm-up."),
                ),
                (
                    "alone",
                    models.BooleanField(
                        default=False, help_text="Whether nothing else ran while that was measured."
                    ),
                ),
                (
                    "peak_bytes",
                    models.PositiveBigIntegerField(default=0, help_text="With what its largest runs needed."),
                ),
                ("load_s", models.FloatField(default=0.0)),
                ("warm_up_s", models.FloatField(default=0.0)),
                ("fit", models.JSONField(default=dict, help_text="How long its batches take.")),
                (
                    "exactness",
                    models.JSONField(default=dict, help_text="Whether its rows may share a batch."),
                ),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={"ordering": ["artifact", "device"]},
        ),
        migrations.AddConstraint(
            model_name="sessionprofile",
            constraint=models.UniqueConstraint(
                fields=("artifact", "device"), name="inference_profile_of_device"
            ),
        ),
        # No tenant's data and none of their business: workers and the admin are the operator's.
        migrations.RunSQL(
            f"REVOKE ALL ON inference_sessionprofile FROM {APP_ROLE};",
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON inference_sessionprofile TO {APP_ROLE};",
        ),
    ]
