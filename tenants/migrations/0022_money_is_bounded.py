"""Whether a balance or a budget may end what a key spends: known with the key, so that nobody else's calls are looked at."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE)

# It lets out a yes or a no about a tenant and a key whose ids somebody knows.
DOOR = f"""
CREATE FUNCTION maas_money_is_bounded(tenant uuid, key uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
        SELECT EXISTS (SELECT FROM tenants_wallet w WHERE w.tenant_id = tenant AND w.kind = 'prepaid')
            OR EXISTS (
                SELECT FROM tenants_budget b
                WHERE b.tenant_id = tenant AND (b.api_key_id IS NULL OR b.api_key_id = key)
            )
    $$;
REVOKE EXECUTE ON FUNCTION maas_money_is_bounded(uuid, uuid) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION maas_money_is_bounded(uuid, uuid) OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION maas_money_is_bounded(uuid, uuid) TO {APP_ROLE};
RESET ROLE;
"""
SHUT = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
DROP FUNCTION maas_money_is_bounded(uuid, uuid);
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0021_invoices")]

    operations = [migrations.RunSQL(DOOR, SHUT)]
