"""What operators did can be added to and read, and not be changed or taken away, by any role that serves requests."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE)

# With a person Django deletes the person's entries, by a statement that is there even when there are none. So the
# operator's role keeps the right to that statement, and a trigger refuses the first entry that it would take.
KEEP = f"""
REVOKE UPDATE, DELETE ON django_admin_log FROM {APP_ROLE};
REVOKE UPDATE ON django_admin_log FROM {OPERATOR_ROLE};
CREATE FUNCTION maas_keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entry % of the audit log cannot be deleted', OLD.id USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER keep_audit_log BEFORE DELETE ON django_admin_log
    FOR EACH ROW EXECUTE FUNCTION maas_keep_audit_log();
"""
LET_GO = f"""
DROP TRIGGER keep_audit_log ON django_admin_log;
DROP FUNCTION maas_keep_audit_log();
GRANT UPDATE, DELETE ON django_admin_log TO {APP_ROLE}, {OPERATOR_ROLE};
"""


class Migration(migrations.Migration):
    dependencies = [("admin", "0003_logentry_add_action_flag_choices"), ("tenants", "0005_usage_of_before")]

    operations = [migrations.RunSQL(KEEP, LET_GO)]
