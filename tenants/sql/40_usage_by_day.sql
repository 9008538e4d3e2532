-- Sums of usage by day, kept exact by the records themselves.
-- Each connection has rows of its own among sixteen, so that transactions which end at once rarely wait for the same
-- row. The order of the groups is the order of the locks, so that two statements never deadlock.
CREATE OR REPLACE FUNCTION maas_add_usage_to_day() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public
AS $$
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

CREATE OR REPLACE TRIGGER add_to_day AFTER INSERT ON tenants_usagerecord REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION maas_add_usage_to_day();
