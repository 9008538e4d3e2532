"""Roles, grants, row-level security, and the two narrow doors that open before a tenant is known."""

from django.db import migrations

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE, protect)

ROLES = f"""
DO $$
DECLARE
    wanted text;
    may_not_inherit text := '';
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        -- The owner may become these roles but does not carry their rights unasked.
        may_not_inherit := ' WITH INHERIT FALSE, SET TRUE';
    END IF;
    FOREACH wanted IN ARRAY ARRAY['{APP_ROLE}', '{OPERATOR_ROLE}'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION
                WHEN insufficient_privilege THEN
                    RAISE EXCEPTION 'The role % is missing and % may not create it.', wanted, current_user
                        USING HINT = format('As a superuser: CREATE ROLE %I NOLOGIN; GRANT %I TO %I;', wanted, wanted, current_user);
                WHEN duplicate_object OR unique_violation THEN
                    NULL; -- another database of this server is being set up at the same moment
            END;
        END IF;
        IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO %I', wanted, current_user) || may_not_inherit;
        END IF;
    END LOOP;
END $$;
GRANT USAGE ON SCHEMA public TO {APP_ROLE}, {OPERATOR_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {APP_ROLE}, {OPERATOR_ROLE};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {APP_ROLE}, {OPERATOR_ROLE};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {APP_ROLE}, {OPERATOR_ROLE};
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APP_ROLE}, {OPERATOR_ROLE};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {APP_ROLE}, {OPERATOR_ROLE};
"""

DOORS = f"""
CREATE FUNCTION maas_api_key(wanted text)
    RETURNS TABLE (id uuid, tenant_id uuid, secret_hash text, livemode boolean, scopes text[],
                   expired boolean, revoked_at timestamptz, tenant_state text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT k.id, k.tenant_id, k.secret_hash, k.livemode, k.scopes::text[],
               coalesce(k.expires_at <= clock_timestamp(), false), k.revoked_at, t.state
        FROM tenants_apikey k JOIN tenants_tenant t ON t.id = k.tenant_id
        WHERE k.public_id = wanted
    $$;
CREATE FUNCTION maas_memberships_of(person uuid)
    RETURNS TABLE (tenant_id uuid, tenant_name text, tenant_state text, role text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT t.id, t.name, t.state, m.role
        FROM tenants_membership m
        JOIN tenants_tenant t ON t.id = m.tenant_id
        JOIN tenants_user u ON u.id = m.user_id
        WHERE m.user_id = person AND u.is_active
        ORDER BY t.state <> 'active', m.created_at, m.id
    $$;
REVOKE EXECUTE ON FUNCTION maas_api_key(text), maas_memberships_of(uuid) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION maas_api_key(text) OWNER TO {OPERATOR_ROLE};
ALTER FUNCTION maas_memberships_of(uuid) OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION maas_api_key(text), maas_memberships_of(uuid) TO {APP_ROLE};
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]

    operations = [
        migrations.RunSQL(ROLES, migrations.RunSQL.noop),
        protect("tenants_tenant", column="id"),
        protect("tenants_membership"),
        protect("tenants_apikey"),
        protect("tenants_usagerecord"),
        migrations.RunSQL(
            DOORS, "DROP FUNCTION maas_api_key(text); DROP FUNCTION maas_memberships_of(uuid);"
        ),
    ]
