-- The second layer of isolation, for every table with a tenant: of a table, maas_app sees and writes only the rows of
-- the tenant that the transaction names, and so does the table's owner. maas_operator sees all rows.
-- Policies that are as they should be are left alone, so that no lock is taken.
DO $$
DECLARE
    found record;
    -- nullif, because the setting reads '' rather than NULL after a transaction-local setting ends.
    expected CONSTANT text :=
        '(%I = (NULLIF(current_setting(''app.tenant''::text, true), ''''::text))::uuid)';
    condition text;
BEGIN
    FOR found IN
        SELECT c.oid, c.relname, c.relrowsecurity AND c.relforcerowsecurity AS is_on, a.attname
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
            AND a.attname = CASE c.relname WHEN 'tenants_tenant' THEN 'id' ELSE 'tenant_id' END
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    LOOP
        condition := format(expected, found.attname);
        IF NOT found.is_on THEN
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', found.relname);
        END IF;
        IF NOT EXISTS (
            SELECT FROM pg_policy p WHERE p.polrelid = found.oid AND p.polname = 'tenant_isolation'
                AND pg_get_expr(p.polqual, p.polrelid) = condition
                AND pg_get_expr(p.polwithcheck, p.polrelid) = condition
        ) THEN
            EXECUTE format('DROP POLICY IF EXISTS tenant_isolation ON %I', found.relname);
            EXECUTE format(
                'CREATE POLICY tenant_isolation ON %I TO maas_app USING (%s) WITH CHECK (%s)',
                found.relname, condition, condition
            );
        END IF;
        IF NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = found.oid AND p.polname = 'operator_access') THEN
            EXECUTE format(
                'CREATE POLICY operator_access ON %I TO maas_operator USING (true) WITH CHECK (true)', found.relname
            );
        END IF;
    END LOOP;
END $$;
