-- When a page stops running (read, failed, put back, swept up, canceled), the pages that wait for its result are due
-- at once: they find the result, or one of them runs. Locked rows are skipped, so that nothing waits here; they come
-- back by themselves.
CREATE OR REPLACE FUNCTION maas_release_waiting_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE jobs_page SET run_after = clock_timestamp(), renotify_at = NULL
    WHERE id IN (
        SELECT id FROM jobs_page
        WHERE tenant_id = OLD.tenant_id AND waits_for = OLD.cache_key AND state = 'queued'
        FOR NO KEY UPDATE SKIP LOCKED
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER release_waiting_pages AFTER UPDATE OF state ON jobs_page FOR EACH ROW
    WHEN (
        OLD.awaited AND OLD.state = 'running'
        AND (NEW.state <> 'running' OR NEW.cache_key IS DISTINCT FROM OLD.cache_key)
    )
    EXECUTE FUNCTION maas_release_waiting_pages();
