"""Accounts whose deletion was asked for, and when it is. The columns are new and empty: no row is written."""

from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE)

# Asked for whoever holds a key or belongs to the account, before its rows can be seen.
DOOR = f"""
CREATE FUNCTION maas_closes_at(wanted uuid) RETURNS timestamptz
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT t.closes_at FROM tenants_tenant t WHERE t.id = wanted AND t.state = 'closing' $$;
REVOKE EXECUTE ON FUNCTION maas_closes_at(uuid) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION maas_closes_at(uuid) OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION maas_closes_at(uuid) TO {APP_ROLE};
RESET ROLE;
"""
SHUT = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
DROP FUNCTION maas_closes_at(uuid);
RESET ROLE;
"""
STATES = [("active", "Active"), ("suspended", "Suspended"), ("closing", "Closing"), ("erasing", "Erasing"), ("erased", "Erased")]


class Migration(migrations.Migration):
    dependencies = [("tenants", "0023_own_budgets")]

    operations = [
        migrations.AlterField("tenant", "state", models.CharField(choices=STATES, default="active", max_length=12)),
        migrations.AddField("tenant", "closes_at", models.DateTimeField(editable=False, help_text="When its erasure begins.", null=True)),
        migrations.AddField(
            "tenant", "closing_told_at", models.DateTimeField(editable=False, help_text="When its owners were reminded of that.", null=True)
        ),
        migrations.RunSQL(DOOR, SHUT),
    ]
