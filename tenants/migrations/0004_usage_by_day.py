"""Sums of usage by day, kept true by a trigger on the records themselves; what was there before comes next."""

import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (protect)

# Each connection has rows of its own among sixteen: transactions that end at once rarely wait for the same row. The
# order of the groups is the order of the locks, so that two statements never wait for each other in a circle.
ADD = """
CREATE FUNCTION maas_add_usage_to_day() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
BEGIN
    INSERT INTO tenants_usageday
        (id, tenant_id, day, model, meter, currency, livemode, shard, quantity, amount_micros, records)
    SELECT gen_random_uuid(), tenant_id, (created_at AT TIME ZONE 'UTC')::date, model, meter, currency, livemode,
           pg_backend_pid() % 16, sum(quantity), sum(amount_micros), count(*)
    FROM added
    GROUP BY 2, 3, 4, 5, 6, 7
    ORDER BY 2, 3, 4, 5, 6, 7
    ON CONFLICT (tenant_id, day, model, meter, currency, livemode, shard) DO UPDATE
    SET quantity = tenants_usageday.quantity + excluded.quantity,
        amount_micros = tenants_usageday.amount_micros + excluded.amount_micros,
        records = tenants_usageday.records + excluded.records;
    RETURN NULL;
END $$;
CREATE TRIGGER add_to_day AFTER INSERT ON tenants_usagerecord REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION maas_add_usage_to_day();
-- Rows that are written again and again stay on their own page.
ALTER TABLE tenants_usageday SET (fillfactor = 50);
"""
REMOVE = "DROP TRIGGER add_to_day ON tenants_usagerecord; DROP FUNCTION maas_add_usage_to_day();"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0003_keys_in_use")]

    operations = [
        migrations.CreateModel(
            name="UsageDay",
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
                ("shard", models.PositiveSmallIntegerField()),
                ("quantity", models.PositiveBigIntegerField()),
                ("amount_micros", models.BigIntegerField()),
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
                    models.UniqueConstraint(fields=("tenant", "id"), name="tenants_usageday_tenant"),
                    models.UniqueConstraint(
                        fields=("tenant", "day", "model", "meter", "currency", "livemode", "shard"),
                        name="tenants_usageday_once",
                    ),
                ],
            },
        ),
        protect("tenants_usageday"),
        migrations.RunSQL(ADD, REMOVE),
    ]
