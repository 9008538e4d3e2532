-- The only ways to the words of pages. Row-level security lets only leakproof conditions near the index, and @@ is none.
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

-- The pages for `GET /v1/search`: newest job first, its pages in their order, from after a page of the list on. The row
-- of a document's name has number 0. Jobs and documents that were erased are left out.
-- Processes of the last release call it without the jobs.
DROP FUNCTION IF EXISTS
    maas_search_pages(tsquery, tsquery, boolean, text, bigint[], uuid, uuid, uuid, integer, integer);
CREATE OR REPLACE FUNCTION maas_search_pages(
    wanted tsquery, unwanted tsquery, mode boolean, label text, versions bigint[],
    first_job uuid, end_job uuid, last_job uuid, last_number integer, max_results integer,
    jobs uuid[] DEFAULT NULL)
    RETURNS TABLE (job_id uuid, number integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    SET plan_cache_mode = force_custom_plan SET work_mem = '32MB'
AS $$
DECLARE
    tenant CONSTANT uuid := nullif(current_setting('app.tenant', true), '')::uuid;
BEGIN
    RETURN QUERY
        SELECT p.job_id, p.number FROM jobs_pagetext p
        WHERE p.tenant_id = tenant AND p.words @@ wanted
        AND (first_job IS NULL OR p.job_id >= first_job)
        AND (end_job IS NULL OR p.job_id < end_job)
        AND (jobs IS NULL OR p.job_id = ANY (jobs))
        AND (last_job IS NULL OR (p.job_id <= last_job AND (p.job_id < last_job OR p.number > last_number)))
        GROUP BY p.job_id, p.number
        -- Evaluated once for each page that would be shown, like above.
        HAVING (
            SELECT j.erased_at IS NULL AND d.deleted_at IS NULL
                AND (mode IS NULL OR j.livemode = mode)
                AND (label IS NULL OR j.class_label = label)
                AND (versions IS NULL OR j.model_version_id = ANY (versions))
            FROM jobs_job j LEFT JOIN jobs_document d ON d.tenant_id = tenant AND d.id = j.document_id
            WHERE j.tenant_id = tenant AND j.id = p.job_id)
        AND (unwanted IS NULL OR (
            SELECT true FROM jobs_pagetext n
            WHERE n.tenant_id = tenant AND n.job_id = p.job_id AND n.words @@ unwanted LIMIT 1) IS NOT TRUE)
        ORDER BY p.job_id DESC, p.number LIMIT max_results;
END $$;

REVOKE EXECUTE ON FUNCTION
    maas_search_pages(tsquery, tsquery, boolean, text, bigint[], uuid, uuid, uuid, integer, integer, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    maas_search_pages(tsquery, tsquery, boolean, text, bigint[], uuid, uuid, uuid, integer, integer, uuid[]) TO maas_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM maas_operator;
