-- The bytes that a tenant stores, as lines of a sum: each change adds a line, so that no writer waits for another. The
-- scheduler adds the lines up.

-- A document counts until it is erased.
CREATE OR REPLACE FUNCTION maas_count_jobs_document() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        more := more + CASE WHEN NEW.deleted_at IS NULL THEN NEW.size_bytes ELSE 0 END;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        more := more - CASE WHEN OLD.deleted_at IS NULL THEN OLD.size_bytes ELSE 0 END;
    END IF;
    IF more <> 0 THEN
        INSERT INTO tenants_storedbytes (tenant_id, size_bytes)
        VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END, more);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_bytes_in AFTER INSERT ON jobs_document FOR EACH ROW
    EXECUTE FUNCTION maas_count_jobs_document();
CREATE OR REPLACE TRIGGER count_bytes AFTER UPDATE ON jobs_document FOR EACH ROW
    WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at OR OLD.size_bytes <> NEW.size_bytes)
    EXECUTE FUNCTION maas_count_jobs_document();
CREATE OR REPLACE TRIGGER count_bytes_out AFTER DELETE ON jobs_document FOR EACH ROW
    EXECUTE FUNCTION maas_count_jobs_document();

-- A file of a batch counts with its size.
CREATE OR REPLACE FUNCTION maas_count_jobs_storedfile() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        more := more + NEW.size_bytes;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        more := more - OLD.size_bytes;
    END IF;
    IF more <> 0 THEN
        INSERT INTO tenants_storedbytes (tenant_id, size_bytes)
        VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END, more);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_bytes_in AFTER INSERT ON jobs_storedfile FOR EACH ROW
    EXECUTE FUNCTION maas_count_jobs_storedfile();
CREATE OR REPLACE TRIGGER count_bytes AFTER UPDATE ON jobs_storedfile FOR EACH ROW
    WHEN (OLD.size_bytes <> NEW.size_bytes)
    EXECUTE FUNCTION maas_count_jobs_storedfile();
CREATE OR REPLACE TRIGGER count_bytes_out AFTER DELETE ON jobs_storedfile FOR EACH ROW
    EXECUTE FUNCTION maas_count_jobs_storedfile();

-- An upload counts with its final size while it is received and checked.
CREATE OR REPLACE FUNCTION maas_count_jobs_resumableupload() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        more := more + CASE WHEN NEW.state IN ('receiving', 'checking') THEN NEW.size_bytes ELSE 0 END;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        more := more - CASE WHEN OLD.state IN ('receiving', 'checking') THEN OLD.size_bytes ELSE 0 END;
    END IF;
    IF more <> 0 THEN
        INSERT INTO tenants_storedbytes (tenant_id, size_bytes)
        VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END, more);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_bytes_in AFTER INSERT ON jobs_resumableupload FOR EACH ROW
    EXECUTE FUNCTION maas_count_jobs_resumableupload();
CREATE OR REPLACE TRIGGER count_bytes AFTER UPDATE ON jobs_resumableupload FOR EACH ROW
    WHEN (OLD.state <> NEW.state OR OLD.size_bytes <> NEW.size_bytes)
    EXECUTE FUNCTION maas_count_jobs_resumableupload();
CREATE OR REPLACE TRIGGER count_bytes_out AFTER DELETE ON jobs_resumableupload FOR EACH ROW
    EXECUTE FUNCTION maas_count_jobs_resumableupload();

-- A result counts with what the database stores of it: compressed, if it is large. A page is claimed and leased many
-- times before it has a result, and those updates are not counted.
CREATE OR REPLACE FUNCTION maas_count_jobs_page() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        more := more + coalesce(pg_column_size(NEW.result), 0);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        more := more - coalesce(pg_column_size(OLD.result), 0);
    END IF;
    IF more <> 0 THEN
        INSERT INTO tenants_storedbytes (tenant_id, size_bytes)
        VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END, more);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_bytes_in AFTER INSERT ON jobs_page FOR EACH ROW
    WHEN (NEW.result IS NOT NULL)
    EXECUTE FUNCTION maas_count_jobs_page();
CREATE OR REPLACE TRIGGER count_bytes AFTER UPDATE ON jobs_page FOR EACH ROW
    WHEN (OLD.result IS NOT NULL OR NEW.result IS NOT NULL)
    EXECUTE FUNCTION maas_count_jobs_page();
CREATE OR REPLACE TRIGGER count_bytes_out AFTER DELETE ON jobs_page FOR EACH ROW
    WHEN (OLD.result IS NOT NULL)
    EXECUTE FUNCTION maas_count_jobs_page();

-- The same sum from the things themselves, by which the lines are checked.
CREATE OR REPLACE VIEW jobs_storedthings WITH (security_invoker = true) AS
SELECT t.tenant_id, CASE WHEN t.deleted_at IS NULL THEN t.size_bytes ELSE 0 END AS size_bytes
FROM jobs_document t
UNION ALL
SELECT t.tenant_id, t.size_bytes AS size_bytes FROM jobs_storedfile t
UNION ALL
SELECT t.tenant_id, CASE WHEN t.state IN ('receiving', 'checking') THEN t.size_bytes ELSE 0 END AS size_bytes
FROM jobs_resumableupload t
UNION ALL
SELECT t.tenant_id, coalesce(pg_column_size(t.result), 0)::bigint AS size_bytes FROM jobs_page t;
