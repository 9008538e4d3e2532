-- Adds up what triggers would have added up.
UPDATE tenants_wallet w SET available_micros = sums.micros
FROM (SELECT tenant_id, sum(amount_micros) AS micros FROM tenants_ledgerentry WHERE account = 'credit' GROUP BY 1) sums
WHERE sums.tenant_id = w.tenant_id AND w.currency = 'EUR';

INSERT INTO tenants_ledgerday (id, tenant_id, currency, day, kind, account, amount_micros, entries)
SELECT gen_random_uuid(), e.tenant_id, e.currency, t.day, t.kind, e.account, sum(e.amount_micros), count(*)
FROM tenants_ledgerentry e JOIN tenants_ledgertransaction t ON t.id = e.transaction_id
GROUP BY 2, 3, 4, 5, 6;

INSERT INTO jobs_queuedpages (model_version_id, pages)
SELECT model_version_id, count(*) FROM jobs_page WHERE state = 'queued' GROUP BY 1;

INSERT INTO tenants_storedbytes (tenant_id, size_bytes)
SELECT tenant_id, sum(size_bytes)::bigint FROM jobs_storedthings GROUP BY 1;

INSERT INTO tenants_usageday
    (id, tenant_id, day, model, meter, currency, livemode, key_id, cached, shard, quantity, amount_micros,
     saved_micros, records)
SELECT gen_random_uuid(), tenant_id, (created_at AT TIME ZONE 'UTC')::date, model, meter, currency, livemode,
       key_id, cached, 50, sum(quantity), sum(amount_micros), sum(saved_micros), count(*)
FROM tenants_usagerecord GROUP BY 2, 3, 4, 5, 6, 7, 8, 9;

INSERT INTO tenants_usagetotal
    (id, tenant_id, day, model, meter, currency, livemode, cached, quantity, amount_micros, saved_micros, records)
SELECT gen_random_uuid(), tenant_id, day, model, meter, currency, livemode, cached, sum(quantity), sum(amount_micros),
       sum(saved_micros), sum(records)
FROM tenants_usageday GROUP BY 2, 3, 4, 5, 6, 7, 8;

INSERT INTO tenants_usagemonth
    (id, tenant_id, month, model, meter, currency, livemode, key_id, cached, quantity, amount_micros, saved_micros,
     records)
SELECT gen_random_uuid(), tenant_id, date_trunc('month', day::timestamp)::date, model, meter, currency, livemode,
       key_id, cached, sum(quantity), sum(amount_micros), sum(saved_micros), sum(records)
FROM tenants_usageday GROUP BY 2, 3, 4, 5, 6, 7, 8, 9;

VACUUM (FREEZE, ANALYZE)
