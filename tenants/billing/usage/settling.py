"""Merges the rows of an ended day into one, and adds them to the day's total and to each key's month."""

from django.db import connections, transaction

from tenants.billing.usage.models import UsageDay
from tenants.core.db.unit_of_work import OPERATOR, operator_work

SETTLE_EVERY_S = 300.0
AT_ONCE = 5_000

# A row that is being written at the moment is left for the next time, because late usage counts for its own day. The
# order is fixed, so that two processes never deadlock. Rows that were merged before totals or months existed are
# included.
_SETTLE = """
WITH over AS (
    SELECT id FROM tenants_usageday
    WHERE shard < %(settled)s AND shard >= 32 AND day < (clock_timestamp() AT TIME ZONE 'UTC')::date
    ORDER BY day LIMIT %(at_once)s FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM tenants_usageday USING over WHERE tenants_usageday.id = over.id RETURNING tenants_usageday.*
), settled AS (
    INSERT INTO tenants_usageday AS sums
        (id, tenant_id, day, model, meter, currency, livemode, key_id, cached, shard, quantity, amount_micros,
         saved_micros, records)
    SELECT gen_random_uuid(), tenant_id, day, model, meter, currency, livemode, key_id, cached, %(settled)s,
           sum(quantity), sum(amount_micros), sum(saved_micros), sum(records)
    FROM gone
    GROUP BY 2, 3, 4, 5, 6, 7, 8, 9
    ORDER BY 2, 3, 4, 5, 6, 7, 8, 9
    ON CONFLICT (tenant_id, day, model, meter, currency, livemode, key_id, cached, shard) DO UPDATE
    SET quantity = sums.quantity + excluded.quantity, amount_micros = sums.amount_micros + excluded.amount_micros,
        saved_micros = sums.saved_micros + excluded.saved_micros, records = sums.records + excluded.records
), totalled AS (
    INSERT INTO tenants_usagetotal AS total
        (id, tenant_id, day, model, meter, currency, livemode, cached, quantity, amount_micros, saved_micros, records)
    SELECT gen_random_uuid(), tenant_id, day, model, meter, currency, livemode, cached,
           sum(quantity), sum(amount_micros), sum(saved_micros), sum(records)
    FROM gone WHERE shard < %(totalled)s
    GROUP BY 2, 3, 4, 5, 6, 7, 8
    ORDER BY 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT (tenant_id, day, model, meter, currency, livemode, cached) DO UPDATE
    SET quantity = total.quantity + excluded.quantity, amount_micros = total.amount_micros + excluded.amount_micros,
        saved_micros = total.saved_micros + excluded.saved_micros, records = total.records + excluded.records
), of_months AS (
    INSERT INTO tenants_usagemonth AS total
        (id, tenant_id, month, model, meter, currency, livemode, key_id, cached, quantity, amount_micros, saved_micros,
         records)
    SELECT gen_random_uuid(), tenant_id, date_trunc('month', day::timestamp)::date, model, meter, currency, livemode,
           key_id, cached, sum(quantity), sum(amount_micros), sum(saved_micros), sum(records)
    FROM gone
    GROUP BY 2, 3, 4, 5, 6, 7, 8, 9
    ORDER BY 2, 3, 4, 5, 6, 7, 8, 9
    ON CONFLICT (tenant_id, month, model, meter, currency, livemode, key_id, cached) DO UPDATE
    SET quantity = total.quantity + excluded.quantity, amount_micros = total.amount_micros + excluded.amount_micros,
        saved_micros = total.saved_micros + excluded.saved_micros, records = total.records + excluded.records
)
SELECT count(*) FROM gone
"""


def settle_days() -> int:
    """Merge the rows and return the number replaced. A crash undoes the step in progress as a whole."""
    values = {"settled": UsageDay.SETTLED, "totalled": UsageDay.TOTALLED, "at_once": AT_ONCE}
    settled, step = 0, AT_ONCE
    with operator_work():
        while step >= AT_ONCE:
            with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
                cursor.execute(_SETTLE, values)
                step = int(cursor.fetchone()[0])
            settled += step
    return settled
