"""The door through which words are searched, with the mode of whoever looks; the one without it stays for the version before."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE, CURRENT_TENANT, OPERATOR_ROLE)

FUNCTION = "maas_search_words(tsquery, tsquery, int, boolean)"
# As in 0004_search, whose reasons hold here too.
SEARCH = f"""
CREATE FUNCTION maas_search_words(wanted tsquery, unwanted tsquery, most int, mode boolean)
    RETURNS TABLE (job_id uuid, number int)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
    SET work_mem = '32MB'
    AS $$
    DECLARE
        tenant CONSTANT uuid := {CURRENT_TENANT};
    BEGIN
        RETURN QUERY
            SELECT p.job_id, min(p.number) FROM jobs_pagetext p
            WHERE p.tenant_id = tenant AND p.words @@ wanted
            GROUP BY p.job_id
            -- Asked once for each job that would be shown, and no further than the first such page of it.
            HAVING (mode IS NULL OR (
                SELECT j.livemode FROM jobs_job j WHERE j.tenant_id = tenant AND j.id = p.job_id) = mode)
            AND (unwanted IS NULL OR (
                SELECT true FROM jobs_pagetext n
                WHERE n.tenant_id = tenant AND n.job_id = p.job_id AND n.words @@ unwanted LIMIT 1) IS NOT TRUE)
            ORDER BY p.job_id DESC LIMIT most;
    END $$;
REVOKE EXECUTE ON FUNCTION {FUNCTION} FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION {FUNCTION} OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION {FUNCTION} TO {APP_ROLE};
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0046_apart_by_mode")]

    operations = [migrations.RunSQL(SEARCH, f"DROP FUNCTION {FUNCTION};")]
