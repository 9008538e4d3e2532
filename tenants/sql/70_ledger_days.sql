-- The sums of a wallet's entries by day, kind and account, added in the transaction of the entries. Postings of a wallet
-- wait for each other at its row anyway, so that no sum is waited for. The checks read these sums instead of all entries.
CREATE OR REPLACE FUNCTION maas_add_entries_to_day() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public
AS $$
BEGIN
    -- Entries without their transaction have no day, and are refused.
    INSERT INTO tenants_ledgerday (id, tenant_id, currency, day, kind, account, amount_micros, entries)
    SELECT gen_random_uuid(), added.tenant_id, added.currency, t.day, t.kind, added.account, sum(added.amount_micros),
           count(*)
    FROM added LEFT JOIN tenants_ledgertransaction t ON t.id = added.transaction_id
    GROUP BY 2, 3, 4, 5, 6
    ORDER BY 2, 3, 4, 5, 6
    ON CONFLICT (tenant_id, currency, day, kind, account) DO UPDATE
    SET amount_micros = tenants_ledgerday.amount_micros + excluded.amount_micros,
        entries = tenants_ledgerday.entries + excluded.entries;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER add_to_day AFTER INSERT ON tenants_ledgerentry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION maas_add_entries_to_day();

-- The entries from before there were sums. The trigger locks out writers until this transaction ends.
SET LOCAL ROLE maas_operator;
INSERT INTO tenants_ledgerday (id, tenant_id, currency, day, kind, account, amount_micros, entries)
SELECT gen_random_uuid(), e.tenant_id, e.currency, t.day, t.kind, e.account, sum(e.amount_micros), count(*)
FROM tenants_ledgerentry e JOIN tenants_ledgertransaction t ON t.id = e.transaction_id
WHERE NOT EXISTS (SELECT FROM tenants_ledgerday)
GROUP BY 2, 3, 4, 5, 6;
RESET ROLE;

REVOKE UPDATE, DELETE ON tenants_ledgerday FROM maas_app, maas_operator;
GRANT UPDATE (amount_micros, entries) ON tenants_ledgerday TO maas_app, maas_operator;
