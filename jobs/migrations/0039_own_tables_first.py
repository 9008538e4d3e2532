"""Functions that work past the second wall look for tables in their own schema before a caller's temporary ones."""

from django.db import migrations

from tenants.core.db.row_security import (OPERATOR_ROLE)

# Without being named, pg_temp comes first: whoever may make temporary tables could put one in a real one's place.
LAST = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
DO $$
DECLARE
    found regprocedure;
BEGIN
    FOR found IN
        SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE p.prosecdef AND n.nspname = 'public' AND pg_get_userbyid(p.proowner) = current_user
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', found);
    END LOOP;
END $$;
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0038_forgetting"), ("tenants", "0026_payments_pending")]

    operations = [migrations.RunSQL(LAST, migrations.RunSQL.noop)]
