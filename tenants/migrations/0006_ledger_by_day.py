import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.billing.ledger.postings import ACCOUNTS, KINDS


class Migration(migrations.Migration):
    """Add the sums of entries by wallet and day. Triggers (sql/70_ledger_days.sql) write them, and fill them once."""

    dependencies = [("tenants", "0005_storage_of_large_tables")]
    operations = [
        migrations.CreateModel(
            name="LedgerDay",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
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
                ("currency", models.CharField(max_length=3)),
                ("day", models.DateField()),
                ("kind", models.CharField(choices=[(kind, kind) for kind in KINDS], max_length=10)),
                ("account", models.CharField(choices=[(name, name) for name in ACCOUNTS], max_length=12)),
                ("amount_micros", models.BigIntegerField()),
                ("entries", models.PositiveBigIntegerField()),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["day"], name="tenants_ledgerday_by_day")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="tenants_ledgerday_tenant"),
                    models.UniqueConstraint(
                        fields=("tenant", "currency", "day", "kind", "account"), name="tenants_ledgerday_once"
                    ),
                ],
            },
        ),
        migrations.RunSQL("ALTER TABLE tenants_ledgerday SET (fillfactor = 50)"),
    ]
