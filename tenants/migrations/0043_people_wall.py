"""People, and what they sign in with, are written by the account role and by operators; requests and work write none.

Requests still read people: names stand on pages, and a session is checked against its person's password. Everything
else about people is closed to them; the one session that a key belongs to is found through a function.
"""

from django.db import migrations

from tenants.core.db.row_security import (ACCOUNTS_ROLE, APP_ROLE, OPERATOR_ROLE)

ROLE = f"""
DO $$
DECLARE
    may_not_inherit text := '';
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        -- The owner may become this role but does not carry its rights unasked.
        may_not_inherit := ' WITH INHERIT FALSE, SET TRUE';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ACCOUNTS_ROLE}') THEN
        BEGIN
            CREATE ROLE {ACCOUNTS_ROLE} NOLOGIN INHERIT;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- another database of this server is being set up at the same moment
        END;
    END IF;
    IF NOT pg_has_role('{ACCOUNTS_ROLE}', '{APP_ROLE}', 'USAGE') THEN
        GRANT {APP_ROLE} TO {ACCOUNTS_ROLE};
    END IF;
    IF NOT pg_has_role(current_user, '{ACCOUNTS_ROLE}', 'MEMBER') THEN
        EXECUTE format('GRANT {ACCOUNTS_ROLE} TO %I', current_user) || may_not_inherit;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'The role {ACCOUNTS_ROLE} is missing or incomplete, and % may not make it.', current_user
        USING HINT = format('As a superuser: CREATE ROLE {ACCOUNTS_ROLE} NOLOGIN INHERIT; '
            'GRANT {APP_ROLE} TO {ACCOUNTS_ROLE}; GRANT {ACCOUNTS_ROLE} TO %I%s;', current_user, may_not_inherit);
END $$;
"""

OPERATORS_ALONE = (
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "django_admin_log",
    "django_content_type",
    "socialaccount_socialapp",
    "tenants_user_groups",
    "tenants_user_user_permissions",
)
PEOPLES = (
    "account_emailaddress",
    "django_session",
    "mfa_authenticator",
    "socialaccount_socialaccount",
    "usersessions_usersession",
)
"""What people sign in with, and where they are signed in."""
GO_WITH_OTHERS = ("account_emailconfirmation", "socialaccount_socialtoken")
"""Never filled; Django empties them with what they belong to."""

RIGHTS = f"""
REVOKE ALL ON {", ".join((*OPERATORS_ALONE, *PEOPLES, *GO_WITH_OTHERS))} FROM {APP_ROLE};
REVOKE INSERT, UPDATE, DELETE ON tenants_user FROM {APP_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON {", ".join(PEOPLES)} TO {ACCOUNTS_ROLE};
GRANT SELECT, DELETE ON {", ".join(GO_WITH_OTHERS)} TO {ACCOUNTS_ROLE};
GRANT INSERT, UPDATE (password, last_login, email, name) ON tenants_user TO {ACCOUNTS_ROLE};
"""

# Django names every column when it makes a person, so that a right to some of them would refuse everybody.
OPERATORS_ARE_MADE_BY_OPERATORS = f"""
CREATE FUNCTION maas_refuse_new_operator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role(current_user, '{OPERATOR_ROLE}', 'MEMBER') THEN
        RAISE EXCEPTION '% may not make an operator', current_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_new_operator BEFORE INSERT ON tenants_user FOR EACH ROW
    WHEN (NEW.is_staff OR NEW.is_superuser) EXECUTE FUNCTION maas_refuse_new_operator();
"""

SESSION = f"""
CREATE FUNCTION maas_session(wanted text)
    RETURNS TABLE (session_key varchar, session_data text, expire_date timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
        SELECT s.session_key, s.session_data, s.expire_date FROM django_session s
        WHERE s.session_key = wanted AND s.expire_date > clock_timestamp()
    $$;
REVOKE EXECUTE ON FUNCTION maas_session(text) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION maas_session(text) OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION maas_session(text) TO {APP_ROLE};
RESET ROLE;
"""

GIVE_BACK = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
DROP FUNCTION maas_session(text);
RESET ROLE;
DROP TRIGGER refuse_new_operator ON tenants_user;
DROP FUNCTION maas_refuse_new_operator();
REVOKE ALL ON tenants_user, {", ".join((*PEOPLES, *GO_WITH_OTHERS))} FROM {ACCOUNTS_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON tenants_user, {", ".join((*OPERATORS_ALONE, *PEOPLES, *GO_WITH_OTHERS))}
    TO {APP_ROLE};
REVOKE UPDATE, DELETE ON django_admin_log FROM {APP_ROLE};
REVOKE INSERT, UPDATE ON account_emailconfirmation FROM {APP_ROLE};
"""


class Migration(migrations.Migration):
    dependencies = [
        ("account", "0009_emailaddress_unique_primary_email"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("sessions", "0001_initial"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
        ("tenants", "0042_tenants_begin_by_the_database"),
        ("usersessions", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(ROLE, migrations.RunSQL.noop),
        migrations.RunSQL(RIGHTS + OPERATORS_ARE_MADE_BY_OPERATORS + SESSION, GIVE_BACK),
    ]
