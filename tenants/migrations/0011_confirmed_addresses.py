"""Whoever is known already keeps their address: an operator, or the owner of their account, gave it."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE)

CONFIRM = """
INSERT INTO account_emailaddress (user_id, email, verified, "primary")
SELECT id, lower(email), true, true FROM tenants_user
ON CONFLICT DO NOTHING;
"""
# Links are signed, and no row is written for them; a person's rows are looked for there when the person is deleted.
RIGHTS = f"REVOKE INSERT, UPDATE ON account_emailconfirmation FROM {APP_ROLE}, {OPERATOR_ROLE};"
GIVE_BACK = f"GRANT INSERT, UPDATE ON account_emailconfirmation TO {APP_ROLE}, {OPERATOR_ROLE};"


class Migration(migrations.Migration):
    dependencies = [
        ("account", "0009_emailaddress_unique_primary_email"),
        ("tenants", "0010_keeping"),
    ]

    operations = [
        migrations.RunSQL(CONFIRM, migrations.RunSQL.noop),
        migrations.RunSQL(RIGHTS, GIVE_BACK),
    ]
