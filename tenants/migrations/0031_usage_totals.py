"""What days that are over came to for all keys. It begins empty: the scheduler settles again what was settled before."""

import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (protect)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0030_dispute_names")]

    operations = [
        migrations.CreateModel(
            name="UsageTotal",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField()),
                ("model", models.CharField(max_length=100)),
                ("meter", models.CharField(max_length=20)),
                ("currency", models.CharField(max_length=3)),
                ("livemode", models.BooleanField()),
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
                    models.UniqueConstraint(fields=("tenant", "id"), name="tenants_usagetotal_tenant"),
                    models.UniqueConstraint(
                        fields=("tenant", "day", "model", "meter", "currency", "livemode", "cached"),
                        name="tenants_usagetotal_once_each",
                    ),
                ],
            },
        ),
        protect("tenants_usagetotal"),
    ]
