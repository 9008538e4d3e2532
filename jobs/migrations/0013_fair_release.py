"""How urgent a job and its pages are, and how far each tenant's waiting pages have come in virtual time.

The columns have one value for all rows, so that no row is written. The indexes follow.
"""

import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (protect)

PRIORITIES = [(1, "interactive"), (2, "standard"), (3, "bulk")]


class Migration(migrations.Migration):
    dependencies = [
        ("inference", "0006_cached_results"),
        ("jobs", "0012_batch_cached_price"),
        ("tenants", "0009_weight_and_caps"),
    ]

    operations = [
        migrations.AddField(
            "job", "priority", models.SmallIntegerField(choices=PRIORITIES, db_default=2, default=2)
        ),
        migrations.AddField(
            "page",
            "priority",
            models.SmallIntegerField(
                choices=PRIORITIES, db_default=2, default=2, help_text="Its job's, as long as it waits."
            ),
        ),
        migrations.CreateModel(
            "Turn",
            [
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("priority", models.SmallIntegerField(choices=PRIORITIES)),
                (
                    "began",
                    models.FloatField(
                        help_text="The page that was released last; the highest is the version's now."
                    ),
                ),
                ("ends", models.FloatField(help_text="Where its next page begins, unless that is past.")),
                (
                    "model_version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="inference.modelversion",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="jobs_turn_tenant"),
                    models.UniqueConstraint(
                        fields=("model_version", "tenant", "priority"), name="jobs_turn_once"
                    ),
                ],
            },
        ),
        protect("jobs_turn"),
    ]
