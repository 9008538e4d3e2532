-- The fields of a job in rows of their own, by which lists find documents. Every writer of jobs_job.fields keeps them up
-- to date, also an erasure, which empties the fields.
CREATE OR REPLACE FUNCTION maas_day(written text) RETURNS date LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE WHEN written ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN written::date END;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION maas_field_values(tenant uuid, job uuid, fields jsonb)
    RETURNS TABLE (tenant_id uuid, job_id uuid, name text, "text" text, number bigint, day date)
    LANGUAGE sql IMMUTABLE AS $$
    SELECT tenant, job, left(field ->> 'name', 60),
        left(lower(coalesce(field ->> 'normalized', field ->> 'value', '')), 200),
        CASE WHEN field ->> 'type' IN ('amount', 'number')
                AND field ->> 'normalized' ~ '^-?[0-9]{1,13}([.][0-9]{1,10})?$'
            THEN round((field ->> 'normalized')::numeric * 10000)::bigint END,
        CASE WHEN field ->> 'type' = 'date' THEN maas_day(field ->> 'normalized') END
    FROM jsonb_array_elements(CASE WHEN jsonb_typeof(fields -> 'fields') = 'array' THEN fields -> 'fields' END) field
    WHERE field ->> 'name' IS NOT NULL
$$;

CREATE OR REPLACE FUNCTION maas_write_field_values() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.fields IS NOT NULL THEN
        DELETE FROM jobs_fieldvalue WHERE tenant_id = NEW.tenant_id AND job_id = NEW.id;
    END IF;
    IF NEW.fields IS NOT NULL THEN
        INSERT INTO jobs_fieldvalue (tenant_id, job_id, name, "text", number, day)
        SELECT * FROM maas_field_values(NEW.tenant_id, NEW.id, NEW.fields);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER write_field_values_of_new AFTER INSERT ON jobs_job FOR EACH ROW
    WHEN (NEW.fields IS NOT NULL) EXECUTE FUNCTION maas_write_field_values();
CREATE OR REPLACE TRIGGER write_field_values AFTER UPDATE OF fields ON jobs_job FOR EACH ROW
    WHEN (OLD.fields IS DISTINCT FROM NEW.fields) EXECUTE FUNCTION maas_write_field_values();

-- The jobs that ended before this table was there.
SET LOCAL ROLE maas_operator;
INSERT INTO jobs_fieldvalue (tenant_id, job_id, name, "text", number, day)
SELECT value.* FROM jobs_job job, maas_field_values(job.tenant_id, job.id, job.fields) value
WHERE job.fields IS NOT NULL AND NOT EXISTS (SELECT FROM jobs_fieldvalue);
RESET ROLE;
