-- The ledger is only ever added to, and the entries of each transaction sum to zero.
CREATE OR REPLACE FUNCTION maas_keep_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is only ever added to: no % of %', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE OR REPLACE TRIGGER keep_entries BEFORE UPDATE OR DELETE OR TRUNCATE ON tenants_ledgerentry
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_ledger();
CREATE OR REPLACE TRIGGER keep_transactions BEFORE UPDATE OR DELETE OR TRUNCATE ON tenants_ledgertransaction
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_ledger();

CREATE OR REPLACE FUNCTION maas_balance_ledger() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tenants_ledgerentry WHERE transaction_id = NEW.transaction_id
        GROUP BY currency HAVING sum(amount_micros) <> 0
    ) THEN
        RAISE EXCEPTION 'the entries of transaction % do not come to 0', NEW.transaction_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS balance ON tenants_ledgerentry;
CREATE CONSTRAINT TRIGGER balance AFTER INSERT ON tenants_ledgerentry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION maas_balance_ledger();
