"""Usage records and their sums say which key asked, what was answered from the cache, and what that saved.

The new columns are empty or constant, so no record is written; the sums' unique index is built anew, of some thousand
rows. Sums of before are told apart by the next migration.
"""

from django.db import migrations, models

# Whoever wrote before this migration noted a known answer by its kind of source alone.
ADD = """
CREATE OR REPLACE FUNCTION maas_add_usage_to_day() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public AS $$
BEGIN
    INSERT INTO tenants_usageday
        (id, tenant_id, day, model, meter, currency, livemode, key_id, cached, shard, quantity, amount_micros,
         saved_micros, records)
    SELECT gen_random_uuid(), tenant_id, (created_at AT TIME ZONE 'UTC')::date, model, meter, currency, livemode,
           key_id, cached OR source_kind = 'cache', 32 + pg_backend_pid() % 16, sum(quantity), sum(amount_micros),
           sum(saved_micros), count(*)
    FROM added
    GROUP BY 2, 3, 4, 5, 6, 7, 8, 9
    ORDER BY 2, 3, 4, 5, 6, 7, 8, 9
    ON CONFLICT (tenant_id, day, model, meter, currency, livemode, key_id, cached, shard) DO UPDATE
    SET quantity = tenants_usageday.quantity + excluded.quantity,
        amount_micros = tenants_usageday.amount_micros + excluded.amount_micros,
        saved_micros = tenants_usageday.saved_micros + excluded.saved_micros,
        records = tenants_usageday.records + excluded.records;
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0014_plans_in_force")]

    operations = [
        migrations.AddField(
            "usagerecord",
            "key_id",
            models.UUIDField(
                null=True,
                editable=False,
                help_text="Whose work it was; empty for people, and before it was noted.",
            ),
        ),
        migrations.AddField(
            "usagerecord",
            "cached",
            models.BooleanField(
                default=False, db_default=False, help_text="Answered from what was known; nothing was run."
            ),
        ),
        migrations.AddField(
            "usagerecord",
            "saved_micros",
            models.BigIntegerField(
                default=0,
                db_default=0,
                help_text="So much more a run would have cost than the known answer did.",
            ),
        ),
        migrations.AddField("usageday", "key_id", models.UUIDField(null=True)),
        migrations.AddField("usageday", "cached", models.BooleanField(default=False, db_default=False)),
        migrations.AddField("usageday", "saved_micros", models.BigIntegerField(default=0, db_default=0)),
        migrations.RemoveConstraint("usageday", "tenants_usageday_once"),
        migrations.AddConstraint(
            "usageday",
            models.UniqueConstraint(
                fields=[
                    "tenant",
                    "day",
                    "model",
                    "meter",
                    "currency",
                    "livemode",
                    "key_id",
                    "cached",
                    "shard",
                ],
                name="tenants_usageday_once_each",
                nulls_distinct=False,
            ),
        ),
        migrations.RunSQL(ADD, migrations.RunSQL.noop),
    ]
