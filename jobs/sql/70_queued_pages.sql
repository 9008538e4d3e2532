-- The pages that wait for each version, as lines of a sum: each change adds a line in its own transaction, so that no
-- writer waits for another and a crash loses none. The scheduler adds the lines up. They belong to no tenant, and
-- requests neither read nor write them except by these triggers.
REVOKE ALL ON jobs_queuedpages FROM maas_app;

CREATE OR REPLACE FUNCTION maas_count_new_queued_pages() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO jobs_queuedpages (model_version_id, pages)
    SELECT model_version_id, count(*) FROM added WHERE state = 'queued' GROUP BY model_version_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION maas_count_queued_page() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO jobs_queuedpages (model_version_id, pages) VALUES (
        OLD.model_version_id, CASE WHEN OLD.state = 'queued' THEN -1 ELSE 1 END
    );
    RETURN NULL;
END $$;

REVOKE EXECUTE ON FUNCTION maas_count_new_queued_pages(), maas_count_queued_page() FROM PUBLIC;

CREATE OR REPLACE TRIGGER count_new_queued AFTER INSERT ON jobs_page REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION maas_count_new_queued_pages();
CREATE OR REPLACE TRIGGER count_queued AFTER UPDATE OF state ON jobs_page FOR EACH ROW
    WHEN ((OLD.state = 'queued') <> (NEW.state = 'queued'))
    EXECUTE FUNCTION maas_count_queued_page();
CREATE OR REPLACE TRIGGER count_deleted_queued AFTER DELETE ON jobs_page FOR EACH ROW
    WHEN (OLD.state = 'queued')
    EXECUTE FUNCTION maas_count_queued_page();

-- The triggers lock out writers until this transaction ends. So this counts what waited before there were triggers,
-- and adds nothing where they were there already.
SET LOCAL ROLE maas_operator;
INSERT INTO jobs_queuedpages (model_version_id, pages)
SELECT model_version_id, sum(pages) FROM (
    SELECT model_version_id, count(*) AS pages FROM jobs_page WHERE state = 'queued' GROUP BY 1
    UNION ALL
    SELECT model_version_id, -pages FROM jobs_queuedpages
) AS compared GROUP BY 1 HAVING sum(pages) <> 0;
RESET ROLE;
