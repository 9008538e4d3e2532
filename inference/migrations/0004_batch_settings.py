"""Limits of batches as operators set them, for each file of a model."""

import django.db.models.deletion
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE)


class Migration(migrations.Migration):
    dependencies = [("inference", "0003_pools"), ("tenants", "0002_walls")]

    operations = [
        migrations.CreateModel(
            name="BatchSetting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("part", models.CharField(help_text="The role of the file.", max_length=40)),
                ("max_rows", models.PositiveIntegerField(blank=True, null=True)),
                ("max_padded", models.PositiveBigIntegerField(blank=True, null=True)),
                ("max_waiting", models.PositiveIntegerField(blank=True, null=True)),
                ("max_wait_ms", models.FloatField(blank=True, null=True)),
                (
                    "served_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="batch_settings",
                        to="inference.servedmodel",
                    ),
                ),
            ],
            options={
                "verbose_name": "batch limits",
                "ordering": ["served_model", "part"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("served_model", "part"), name="inference_batch_setting_of_part"
                    )
                ],
            },
        ),
        # How much runs at once is the operator's to say; workers only read it.
        migrations.RunSQL(
            f"REVOKE INSERT, UPDATE, DELETE ON inference_batchsetting FROM {APP_ROLE};",
            f"GRANT INSERT, UPDATE, DELETE ON inference_batchsetting TO {APP_ROLE};",
        ),
    ]
