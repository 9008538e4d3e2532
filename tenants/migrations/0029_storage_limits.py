"""How much a tenant may have stored: its own number, or else its plan's."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from tenants.core.db.row_security import (protect)

RATES = ("requests_per_minute", "tokens_per_minute", "pages_per_minute", "calls_at_once")
OF_JOBS = ("unfinished_jobs", "unfinished_pages", "pages_at_once")
KEPT = ("keep_documents_days", "keep_results_days", "keep_events_days")


def chosen(*more: str) -> str:
    """What is new comes last, so that the view is changed while processes of before read it."""
    return f"""
CREATE OR REPLACE VIEW tenants_chosenlimits WITH (security_invoker = true) AS
SELECT t.id, t.state, p.id AS plan_id, coalesce(t.weight, p.weight, 1) AS weight,
       {", ".join(f"coalesce(t.{name}, p.{name}) AS {name}" for name in (*RATES, *OF_JOBS, *KEPT, *more))}
FROM tenants_tenant t LEFT JOIN tenants_plan p ON p.id = (SELECT s.plan_id FROM tenants_subscription s
        WHERE s.tenant_id = t.id AND s.starts_at <= clock_timestamp() ORDER BY s.starts_at DESC LIMIT 1);
"""


def _storage_mb() -> models.PositiveIntegerField:
    return models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='stored megabytes')


class Migration(migrations.Migration):
    dependencies = [("tenants", "0028_included_units")]

    operations = [
        migrations.AddField(model_name="plan", name="storage_mb", field=_storage_mb()),
        migrations.AddField(model_name="tenant", name="storage_mb", field=_storage_mb()),
        migrations.CreateModel(
            name="StoredBytes",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("size_bytes", models.BigIntegerField(help_text="Less than 0 where something was erased.")),
                ("tenant", models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant")),
            ],
            options={
                "abstract": False,
                "constraints": [models.UniqueConstraint(fields=("tenant", "id"), name="tenants_storedbytes_tenant")],
            },
        ),
        protect("tenants_storedbytes"),
        migrations.RunSQL(chosen("storage_mb"), "DROP VIEW tenants_chosenlimits;" + chosen()),
    ]
