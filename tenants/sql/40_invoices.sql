-- What was billed stays as it was billed: of an invoice only what becomes of it changes, of its lines nothing.
CREATE OR REPLACE FUNCTION maas_keep_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    moving CONSTANT text[] :=
        ARRAY['paid_micros', 'credited_micros', 'written_off_micros', 'status', 'paid_at', 'notified_at'];
BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - moving = to_jsonb(OLD) - moving THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what was billed stays as it is: no % of %; write a credit note', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE OR REPLACE TRIGGER keep BEFORE UPDATE OR DELETE ON tenants_invoice
    FOR EACH ROW EXECUTE FUNCTION maas_keep_invoices();

CREATE OR REPLACE FUNCTION maas_keep_billed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was billed stays as it is: no % of %; write a credit note', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE OR REPLACE TRIGGER keep_all BEFORE TRUNCATE ON tenants_invoice
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_billed();
CREATE OR REPLACE TRIGGER keep BEFORE UPDATE OR DELETE OR TRUNCATE ON tenants_invoiceline
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_billed();

-- At the end of a transaction, an invoice has the lines that its sums say.
CREATE OR REPLACE FUNCTION maas_add_up_invoice() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public
AS $$
DECLARE
    found uuid := CASE TG_TABLE_NAME
        WHEN 'tenants_invoice' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(NEW)->>'invoice_id' END;
BEGIN
    IF EXISTS (
        SELECT FROM tenants_invoice i
        LEFT JOIN LATERAL (
            SELECT count(*) AS many, coalesce(sum(l.amount_micros), 0) AS micros
            FROM tenants_invoiceline l WHERE l.invoice_id = i.id
        ) sums ON true
        WHERE i.id = found AND (sums.many <> i.lines_count OR sums.micros <> i.net_micros)
    ) THEN
        RAISE EXCEPTION 'the lines of invoice % are not those that were billed', found
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS adds_up ON tenants_invoice;
CREATE CONSTRAINT TRIGGER adds_up AFTER INSERT ON tenants_invoice DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION maas_add_up_invoice();
DROP TRIGGER IF EXISTS adds_up ON tenants_invoiceline;
CREATE CONSTRAINT TRIGGER adds_up AFTER INSERT ON tenants_invoiceline DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION maas_add_up_invoice();
