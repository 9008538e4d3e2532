"""What was used is written once: no role that serves requests changes it or takes it away."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE)

KEEP = f"REVOKE UPDATE, DELETE, TRUNCATE ON tenants_usagerecord FROM {APP_ROLE};"
LET_GO = f"GRANT UPDATE, DELETE ON tenants_usagerecord TO {APP_ROLE};"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0040_shared_key_budgets")]

    operations = [migrations.RunSQL(KEEP, LET_GO)]
