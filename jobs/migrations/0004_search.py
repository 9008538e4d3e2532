"""The words of pages and names, by which jobs are found, and the one door through which they are searched."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (APP_ROLE, CURRENT_TENANT, OPERATOR_ROLE, protect, refer_within_tenant)

# Kept beside the row rather than in it: whoever walks over many rows reads the narrow part alone.
OUT_OF_LINE = "ALTER TABLE jobs_pagetext SET (toast_tuple_target = 128);"

# Row-level security lets no condition but a leakproof one near the index, and @@ is none. The operator's role has
# no such wall before it; here the tenant is a condition of the query's own, and the caller cannot name another.
SEARCH = f"""
CREATE FUNCTION maas_search_words(wanted tsquery, unwanted tsquery, most int)
    RETURNS TABLE (job_id uuid, number int)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public SET plan_cache_mode = force_custom_plan
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
            HAVING unwanted IS NULL OR (
                SELECT true FROM jobs_pagetext n
                WHERE n.tenant_id = tenant AND n.job_id = p.job_id AND n.words @@ unwanted LIMIT 1) IS NOT TRUE
            ORDER BY p.job_id DESC LIMIT most;
    END $$;
REVOKE EXECUTE ON FUNCTION maas_search_words(tsquery, tsquery, int) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION maas_search_words(tsquery, tsquery, int) OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION maas_search_words(tsquery, tsquery, int) TO {APP_ROLE};
RESET ROLE;
"""

# Words are cut by our own code, so what is there already is left to the scheduler, job by job (jobs/search/backfill.py).
ORDERS = """
CREATE TABLE jobs_jobtoindex (job_id uuid PRIMARY KEY, tenant_id uuid NOT NULL);
"""
ORDER_EVERY_JOB = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
INSERT INTO jobs_jobtoindex (job_id, tenant_id) SELECT id, tenant_id FROM jobs_job;
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0003_files_to_erase"), ("tenants", "0002_walls")]

    operations = [
        migrations.CreateModel(
            name="PageText",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="Of the page; 0 for the name.")),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                (
                    "job",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="jobs.job",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fastupdate=False, fields=["words"], name="jobs_pagetext_words"
                    ),
                    models.Index(fields=["tenant", "job", "number"], name="jobs_pagetext_of_job"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="jobs_pagetext_tenant")
                ],
            },
        ),
        protect("jobs_pagetext"),
        refer_within_tenant("jobs_pagetext", "job_id", "jobs_job", "CASCADE"),
        migrations.RunSQL(OUT_OF_LINE, migrations.RunSQL.noop),
        migrations.RunSQL(SEARCH, "DROP FUNCTION maas_search_words(tsquery, tsquery, int);"),
        migrations.RunSQL(ORDERS, "DROP TABLE jobs_jobtoindex;"),
        protect("jobs_jobtoindex"),
        refer_within_tenant("jobs_jobtoindex", "job_id", "jobs_job", "CASCADE"),
        migrations.RunSQL(ORDER_EVERY_JOB, migrations.RunSQL.noop),
    ]
