"""Sums by day of the records that were there before the trigger, while others go on writing.

A transaction of its own: the trigger's lock, for which writers wait, is let go before the sums are begun.
"""

from django.db import migrations

from tenants.core.db.row_security import (OPERATOR_ROLE)

# One statement sees one moment, in which each record has been added by the trigger or not. What is missing is the
# difference; it goes into a shard that the trigger, which has 0 to 15, never writes.
SUM_UP = """
INSERT INTO tenants_usageday
    (id, tenant_id, day, model, meter, currency, livemode, shard, quantity, amount_micros, records)
SELECT gen_random_uuid(), tenant_id, day, model, meter, currency, livemode, 16,
       sum(quantity), sum(amount_micros), sum(records)
FROM (
    SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date AS day, model, meter, currency, livemode,
           quantity, amount_micros, 1 AS records
    FROM tenants_usagerecord
    UNION ALL
    SELECT tenant_id, day, model, meter, currency, livemode, -quantity, -amount_micros, -records
    FROM tenants_usageday
) AS each
GROUP BY tenant_id, day, model, meter, currency, livemode
HAVING sum(records) > 0
"""
# As the operator, since the tables' owner sees no rows.
AS_OPERATOR = f"SET LOCAL ROLE {OPERATOR_ROLE}; {SUM_UP}; RESET ROLE;"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_usage_by_day")]

    operations = [migrations.RunSQL(AS_OPERATOR, migrations.RunSQL.noop)]
