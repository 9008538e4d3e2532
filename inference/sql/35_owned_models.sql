-- Tables whose rows belong to the installation (without a tenant) or to one tenant. A tenant reads the former, and the
-- policy of all tables with tenants lets it read and write its own.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT c.oid, c.relname FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped AND a.attname = 'tenant_id'
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT a.attnotnull
            AND c.relname LIKE 'inference\_%'
            AND NOT EXISTS (
                SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'of_the_installation'
            )
    LOOP
        EXECUTE format(
            'CREATE POLICY of_the_installation ON %I FOR SELECT TO maas_app USING (tenant_id IS NULL)', found.relname
        );
    END LOOP;
END $$;

-- A model's current version is that of its alias 'current'. Nothing else writes it.
CREATE OR REPLACE FUNCTION maas_keep_current() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE public.inference_servedmodel SET current_id = NULL
        WHERE id = OLD.served_model_id AND current_id IS NOT NULL;
    ELSE
        UPDATE public.inference_servedmodel SET current_id = NEW.version_id
        WHERE id = NEW.served_model_id AND current_id IS DISTINCT FROM NEW.version_id;
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER keep_current AFTER INSERT OR UPDATE ON inference_modelalias
    FOR EACH ROW WHEN (NEW.name = 'current') EXECUTE FUNCTION maas_keep_current();
CREATE OR REPLACE TRIGGER keep_no_current AFTER DELETE ON inference_modelalias
    FOR EACH ROW WHEN (OLD.name = 'current') EXECUTE FUNCTION maas_keep_current();
