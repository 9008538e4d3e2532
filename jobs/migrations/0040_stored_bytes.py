"""What a tenant's things take, as lines of a sum that triggers write: nobody who stores waits for another."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE)

# What a row takes. A result takes what the database has stored of it: compressed, where it is large.
TAKES = {
    "jobs_document": "CASE WHEN {row}.deleted_at IS NULL THEN {row}.size_bytes ELSE 0 END",
    "jobs_storedfile": "{row}.size_bytes",
    "jobs_resumableupload": "CASE WHEN {row}.state IN ('receiving', 'checking') THEN {row}.size_bytes ELSE 0 END",
    "jobs_page": "coalesce(pg_column_size({row}.result), 0)",
}
# A page is claimed and leased many times before it has a result, and none of that is asked about.
CHANGED = {
    "jobs_document": "OLD.deleted_at IS DISTINCT FROM NEW.deleted_at OR OLD.size_bytes <> NEW.size_bytes",
    "jobs_storedfile": "OLD.size_bytes <> NEW.size_bytes",
    "jobs_resumableupload": "OLD.state <> NEW.state OR OLD.size_bytes <> NEW.size_bytes",
    "jobs_page": "OLD.result IS NOT NULL OR NEW.result IS NOT NULL",
}
ONLY_PAGES = {"INSERT": "WHEN (NEW.result IS NOT NULL)", "DELETE": "WHEN (OLD.result IS NOT NULL)"}


def _triggers(table: str) -> str:
    takes = {row: TAKES[table].format(row=row) for row in ("OLD", "NEW")}
    when = ONLY_PAGES if table == "jobs_page" else {"INSERT": "", "DELETE": ""}
    return f"""
CREATE OR REPLACE FUNCTION maas_count_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        more := more + {takes["NEW"]};
    END IF;
    IF TG_OP <> 'INSERT' THEN
        more := more - {takes["OLD"]};
    END IF;
    IF more <> 0 THEN
        INSERT INTO tenants_storedbytes (tenant_id, size_bytes)
        VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END, more);
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER count_bytes_in AFTER INSERT ON {table} FOR EACH ROW {when["INSERT"]}
    EXECUTE FUNCTION maas_count_{table}();
CREATE OR REPLACE TRIGGER count_bytes_out AFTER DELETE ON {table} FOR EACH ROW {when["DELETE"]}
    EXECUTE FUNCTION maas_count_{table}();
CREATE OR REPLACE TRIGGER count_bytes AFTER UPDATE ON {table} FOR EACH ROW WHEN ({CHANGED[table]})
    EXECUTE FUNCTION maas_count_{table}();
"""


def _no_triggers(table: str) -> str:
    drops = "".join(
        f"DROP TRIGGER {name} ON {table};" for name in ("count_bytes_in", "count_bytes_out", "count_bytes")
    )
    return f"{drops} DROP FUNCTION maas_count_{table}();"


THINGS = " UNION ALL ".join(
    f"SELECT tenant_id, ({takes.format(row='t')})::bigint AS size_bytes FROM {table} t"  # noqa: S608
    for table, takes in TAKES.items()
)
VIEW = f"""
CREATE OR REPLACE VIEW jobs_storedthings WITH (security_invoker = true) AS {THINGS};
REVOKE INSERT, UPDATE, DELETE ON jobs_storedthings FROM {APP_ROLE};
"""
# One statement sees one moment, and all that is stored from now on writes its own line: nobody is held up meanwhile.
COUNT = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
INSERT INTO tenants_storedbytes (tenant_id, size_bytes)
SELECT coalesce(t.tenant_id, c.tenant_id), coalesce(t.bytes, 0) - coalesce(c.bytes, 0)
FROM (SELECT tenant_id, sum(size_bytes) AS bytes FROM jobs_storedthings GROUP BY 1) t
FULL JOIN (SELECT tenant_id, sum(size_bytes) AS bytes FROM tenants_storedbytes GROUP BY 1) c USING (tenant_id)
WHERE coalesce(t.bytes, 0) <> coalesce(c.bytes, 0);
RESET ROLE;
"""


class Migration(migrations.Migration):
    """Each statement by itself: whoever holds two of these tables at once never waits for it in a circle."""

    atomic = False
    dependencies = [("jobs", "0039_own_tables_first"), ("tenants", "0029_storage_limits")]

    operations = [
        migrations.RunSQL(VIEW, "DROP VIEW jobs_storedthings;"),
        *(migrations.RunSQL(_triggers(table), _no_triggers(table)) for table in TAKES),
    ]
