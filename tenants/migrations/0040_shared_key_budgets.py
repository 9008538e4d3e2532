"""A key that takes another's place shares its budgets: for the time in which both work, there is one and not two.

The column is new and empty: keys that took another's place before go on with the budgets that they were given then.
"""

from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE)

# It lets out the id of a key for that of another, and the same id for any that stands alone.
OF_KEY = """
CREATE FUNCTION maas_budget_key(key uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT coalesce((SELECT k.budgets_of FROM tenants_apikey k WHERE k.id = key), key) $$;
"""


def is_bounded(key: str) -> str:
    return f"""
    CREATE OR REPLACE FUNCTION maas_money_is_bounded(tenant uuid, key uuid) RETURNS boolean
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
        AS $$
            SELECT EXISTS (SELECT FROM tenants_wallet w WHERE w.tenant_id = tenant AND w.kind = 'prepaid')
                OR EXISTS (
                    SELECT FROM tenants_budget b
                    WHERE b.tenant_id = tenant AND (b.api_key_id IS NULL OR b.api_key_id = {key})
                )
        $$;
    """


def as_operator(sql: str) -> str:
    return f"""
    GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
    SET LOCAL ROLE {OPERATOR_ROLE};
    {sql}
    RESET ROLE;
    REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
    """


MADE = as_operator(f"""
{OF_KEY}
REVOKE EXECUTE ON FUNCTION maas_budget_key(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION maas_budget_key(uuid) TO {APP_ROLE};
{is_bounded("(SELECT public.maas_budget_key(key))")}
""")
UNMADE = as_operator(f"""
{is_bounded("key")}
DROP FUNCTION maas_budget_key(uuid);
""")


class Migration(migrations.Migration):
    dependencies = [("tenants", "0039_what_was_cleared")]

    operations = [
        migrations.AddField("apikey", "budgets_of", models.UUIDField(editable=False, null=True)),
        migrations.RunSQL(MADE, UNMADE),
    ]
