"""Who changed what in an account: rows that are added to, and that no role that serves requests changes or takes away."""

import django.contrib.postgres.functions
import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE, protect)

# For its owner a deletion is left, which forgets what is old enough (manage.py forget_audit); an entry is never changed.
KEEP = f"""
REVOKE UPDATE, DELETE, TRUNCATE ON tenants_auditentry FROM {APP_ROLE}, {OPERATOR_ROLE};
CREATE FUNCTION maas_keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry of the audit log is never changed' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER keep_audit_entries BEFORE UPDATE OR TRUNCATE ON tenants_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_audit_entries();
"""
LET_GO = f"""
DROP TRIGGER keep_audit_entries ON tenants_auditentry;
DROP FUNCTION maas_keep_audit_entries();
GRANT UPDATE, DELETE ON tenants_auditentry TO {APP_ROLE}, {OPERATOR_ROLE};
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0016_known_usage_of_before")]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("at", models.DateTimeField(db_default=django.contrib.postgres.functions.TransactionNow(), editable=False)),
                ("deed", models.CharField(help_text="A code such as key.created.", max_length=60)),
                ("actor_kind", models.CharField(choices=[("person", "person"), ("key", "key"), ("operator", "operator"), ("system", "system")], default="system", max_length=10)),
                ("actor_id", models.UUIDField(help_text="The person, the key or the operator.", null=True)),
                ("actor_name", models.CharField(blank=True, help_text="Empty for operators.", max_length=254)),
                ("behalf_of", models.CharField(blank=True, help_text="The member that an operator acted as.", max_length=254)),
                ("subject_id", models.CharField(blank=True, max_length=100)),
                ("subject_name", models.CharField(blank=True, max_length=254)),
                ("changes", models.JSONField(default=dict, help_text="By field, before and after.")),
                ("note", models.CharField(blank=True, max_length=500)),
                ("address", models.CharField(blank=True, max_length=45)),
                ("user_agent", models.CharField(blank=True, max_length=400)),
                ("request_id", models.CharField(blank=True, max_length=64)),
                ("tenant", models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant")),
            ],
            options={
                "abstract": False,
                "constraints": [models.UniqueConstraint(fields=("tenant", "id"), name="tenants_auditentry_tenant")],
                "indexes": [
                    models.Index(fields=["actor_id", "id"], name="tenants_auditentry_actor"),
                    models.Index(fields=["subject_id", "id"], name="tenants_auditentry_subject"),
                ],
            },
        ),
        protect("tenants_auditentry"),
        migrations.RunSQL(KEEP, LET_GO),
    ]
