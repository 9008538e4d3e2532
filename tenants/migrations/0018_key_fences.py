"""What a key is kept to, and from where it was last used. The columns are new and empty: no row is written."""

import django.contrib.postgres.fields
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE)

# A door of its own beside that of keys, which lets out nothing but this of a key whose id somebody knows.
DOOR = f"""
CREATE FUNCTION maas_key_fences(key uuid) RETURNS TABLE (for_models text[], from_networks text[])
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT k.for_models::text[], k.from_networks::text[] FROM tenants_apikey k WHERE k.id = key $$;
REVOKE EXECUTE ON FUNCTION maas_key_fences(uuid) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION maas_key_fences(uuid) OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION maas_key_fences(uuid) TO {APP_ROLE};
RESET ROLE;
"""
SHUT = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
DROP FUNCTION maas_key_fences(uuid);
RESET ROLE;
"""


def names(most: int, help_text: str) -> django.contrib.postgres.fields.ArrayField:
    return django.contrib.postgres.fields.ArrayField(
        base_field=models.CharField(max_length=most), blank=True, db_default=[], default=list, help_text=help_text, size=None
    )


class Migration(migrations.Migration):
    dependencies = [("tenants", "0017_audit_log")]

    operations = [
        migrations.AddField("apikey", "last_used_from", models.CharField(blank=True, db_default="", default="", editable=False, max_length=45)),
        migrations.AddField("apikey", "for_models", names(100, "Names of the only models that it may have run, with commas between. Empty: any.")),
        migrations.AddField("apikey", "from_networks", names(43, "The only networks that it may come from, such as 203.0.113.0/24, with commas between. Empty: any.")),
        migrations.RunSQL(DOOR, SHUT),
    ]
