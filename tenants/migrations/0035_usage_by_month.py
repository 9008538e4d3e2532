"""What months came to for each key. It begins empty: the scheduler settles again what was settled before."""

import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (protect)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0034_erasure_fence")]

    operations = [
        migrations.CreateModel(
            name="UsageMonth",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("month", models.DateField(help_text="Its first day.")),
                ("model", models.CharField(max_length=100)),
                ("meter", models.CharField(max_length=20)),
                ("currency", models.CharField(max_length=3)),
                ("livemode", models.BooleanField()),
                ("key_id", models.UUIDField(null=True)),
                ("cached", models.BooleanField()),
                ("quantity", models.PositiveBigIntegerField()),
                ("amount_micros", models.BigIntegerField()),
                ("saved_micros", models.BigIntegerField()),
                ("records", models.PositiveBigIntegerField()),
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
                    models.UniqueConstraint(fields=("tenant", "id"), name="tenants_usagemonth_tenant"),
                    models.UniqueConstraint(
                        fields=(
                            "tenant",
                            "month",
                            "model",
                            "meter",
                            "currency",
                            "livemode",
                            "key_id",
                            "cached",
                        ),
                        name="tenants_usagemonth_once_each",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        protect("tenants_usagemonth"),
    ]
