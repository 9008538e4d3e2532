-- The one way to the words of pages. Row-level security lets only leakproof conditions near the index, and @@ is none.
-- The operator's role has no such policy; the tenant is a condition of the query itself, and the caller cannot name
-- another one.
GRANT CREATE ON SCHEMA public TO maas_operator;
SET LOCAL ROLE maas_operator;

CREATE OR REPLACE FUNCTION maas_search_words(wanted tsquery, unwanted tsquery, max_results integer, mode boolean)
    RETURNS TABLE (job_id uuid, number integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    SET plan_cache_mode = force_custom_plan SET work_mem = '32MB'
AS $$
DECLARE
    tenant CONSTANT uuid := nullif(current_setting('app.tenant', true), '')::uuid;
BEGIN
    RETURN QUERY
        SELECT p.job_id, min(p.number) FROM jobs_pagetext p
        WHERE p.tenant_id = tenant AND p.words @@ wanted
        GROUP BY p.job_id
        -- Evaluated once for each job that would be shown, and only as far as the first such page of it.
        HAVING (mode IS NULL OR (
            SELECT j.livemode FROM jobs_job j WHERE j.tenant_id = tenant AND j.id = p.job_id) = mode)
        AND (unwanted IS NULL OR (
            SELECT true FROM jobs_pagetext n
            WHERE n.tenant_id = tenant AND n.job_id = p.job_id AND n.words @@ unwanted LIMIT 1) IS NOT TRUE)
        ORDER BY p.job_id DESC LIMIT max_results;
END $$;

REVOKE EXECUTE ON FUNCTION maas_search_words(tsquery, tsquery, integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION maas_search_words(tsquery, tsquery, integer, boolean) TO maas_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM maas_operator;
