"""Of the sums of before, what was answered from the cache is told apart; others go on writing meanwhile.

A transaction of its own: the locks on the tables are let go before the records are read through.
"""

from django.db import migrations

from tenants.core.db.row_security import (OPERATOR_ROLE)

# One statement sees one moment. Shards below 32 are of before, and nobody writes them any more; what was known in them
# is what the records say less what the trigger has told apart since.
TELL_APART = """
WITH gone AS (
    DELETE FROM tenants_usageday WHERE shard < 32 RETURNING *
), before AS (
    SELECT tenant_id, day, model, meter, currency, livemode, sum(quantity) AS quantity,
           sum(amount_micros) AS amount_micros, sum(records) AS records
    FROM gone GROUP BY 1, 2, 3, 4, 5, 6
), known AS (
    SELECT tenant_id, day, model, meter, currency, livemode, sum(quantity) AS quantity,
           sum(amount_micros) AS amount_micros, sum(records) AS records
    FROM (
        SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date AS day, model, meter, currency, livemode, quantity,
               amount_micros, 1 AS records
        FROM tenants_usagerecord WHERE cached OR source_kind = 'cache'
        UNION ALL
        SELECT tenant_id, day, model, meter, currency, livemode, -quantity, -amount_micros, -records
        FROM tenants_usageday WHERE cached
    ) AS each
    GROUP BY 1, 2, 3, 4, 5, 6
    HAVING sum(records) > 0
), apart AS (
    SELECT before.tenant_id, before.day, before.model, before.meter, before.currency, before.livemode, cached,
           CASE WHEN cached THEN coalesce(known.quantity, 0)
                ELSE before.quantity - coalesce(known.quantity, 0) END AS quantity,
           CASE WHEN cached THEN coalesce(known.amount_micros, 0)
                ELSE before.amount_micros - coalesce(known.amount_micros, 0) END AS amount_micros,
           CASE WHEN cached THEN coalesce(known.records, 0)
                ELSE before.records - coalesce(known.records, 0) END AS records
    FROM before
    LEFT JOIN known USING (tenant_id, day, model, meter, currency, livemode)
    CROSS JOIN (VALUES (false), (true)) AS each (cached)
)
INSERT INTO tenants_usageday AS sums
    (id, tenant_id, day, model, meter, currency, livemode, key_id, cached, shard, quantity, amount_micros, records)
SELECT gen_random_uuid(), tenant_id, day, model, meter, currency, livemode, NULL, cached, 48, quantity,
       amount_micros, records
FROM apart WHERE records > 0
ON CONFLICT (tenant_id, day, model, meter, currency, livemode, key_id, cached, shard) DO UPDATE
SET quantity = sums.quantity + excluded.quantity, amount_micros = sums.amount_micros + excluded.amount_micros,
    records = sums.records + excluded.records
"""
# As the operator, since the tables' owner sees no rows.
AS_OPERATOR = f"SET LOCAL ROLE {OPERATOR_ROLE}; {TELL_APART}; RESET ROLE;"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0015_usage_by_key")]

    operations = [migrations.RunSQL(AS_OPERATOR, migrations.RunSQL.noop)]
