"""What is erased takes nothing in: whoever writes the first row of something waits for whoever begins to erase its
tenant, and is refused after that. And accounts that wait for their deletion can be suspended."""

from django.db import migrations, models

from tenants.core.db.row_security import (OPERATOR_ROLE, fence)

# FOR KEY SHARE is what any reference to a tenant takes at the end of its transaction; taken at its beginning, it makes
# whoever begins to erase (FOR UPDATE) wait for that end, and whoever comes later see what has become of the tenant.
FUNCTION = """
CREATE FUNCTION maas_refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    SELECT state INTO found FROM tenants_tenant WHERE id = NEW.tenant_id FOR KEY SHARE;
    IF found IN ('erasing', 'erased') THEN
        RAISE EXCEPTION 'tenant % is %: nothing of it is written any more', NEW.tenant_id, found
            USING ERRCODE = 'MA001';
    END IF;
    RETURN NEW;
END $$;
"""
TABLES = ("tenants_apikey", "tenants_invitation", "tenants_membership", "tenants_modellimit", "tenants_providercustomer")


def door(also: str) -> str:
    return f"""
    SET LOCAL ROLE {OPERATOR_ROLE};
    CREATE OR REPLACE FUNCTION maas_closes_at(wanted uuid) RETURNS timestamptz
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
        AS $$ SELECT t.closes_at FROM tenants_tenant t WHERE t.id = wanted AND t.state = 'closing'{also} $$;
    RESET ROLE;
    """


DOOR = f"""
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
{door(" AND NOT t.suspended_closing")}
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
"""
DOOR_OF_BEFORE = f"""
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
{door("")}
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0033_gpu_second")]

    operations = [
        migrations.AddField(
            "tenant",
            "suspended_closing",
            models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="While it waits for its deletion: nobody looks at it, and no owner keeps it.",
            ),
        ),
        migrations.RunSQL(DOOR, DOOR_OF_BEFORE),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION maas_refuse_erased();"),
        *(fence(table) for table in TABLES),
    ]
