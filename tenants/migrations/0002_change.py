from django.db import migrations

# A row for each change that processes may have remembered otherwise. Triggers write them, in changes.sql of each app.
_TABLE = """
CREATE TABLE tenants_change (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    kind text NOT NULL,
    ref text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX tenants_change_xid ON tenants_change (xid);
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]
    operations = [migrations.RunSQL(_TABLE, "DROP TABLE tenants_change")]
