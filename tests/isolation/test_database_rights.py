"""Test what each database role may write outside of any tenant. The rights are listed here, so that a new table fails
until it is added.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import ProgrammingError, connections, transaction

from tenants.accounts.models import User
from tenants.accounts.session_store import SessionStore
from tenants.core.db.roles import ACCOUNTS_ROLE, APP_ROLE, OPERATOR_ROLE
from tenants.core.db.unit_of_work import APP, account_work, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant

Rights = Mapping[str, Mapping[str, frozenset[str] | None]]
"""The columns by table and right, or None for all columns. DELETE has no columns."""

ALL: Mapping[str, None] = {"INSERT": None, "UPDATE": None, "DELETE": None}
OWN_COLUMNS = frozenset({"password", "last_login", "email", "name"})

WRITTEN: Mapping[str, Rights] = {
    APP_ROLE: {},
    ACCOUNTS_ROLE: {
        "account_emailaddress": ALL,
        "account_emailconfirmation": {"DELETE": None},
        "django_session": ALL,
        "mfa_authenticator": ALL,
        "socialaccount_socialaccount": ALL,
        "socialaccount_socialtoken": {"DELETE": None},
        "tenants_user": {"INSERT": None, "UPDATE": OWN_COLUMNS},
        "usersessions_usersession": ALL,
    },
    OPERATOR_ROLE: {
        "account_emailaddress": ALL,
        "account_emailconfirmation": {"DELETE": None},
        "auth_group": ALL,
        "auth_group_permissions": ALL,
        "auth_permission": ALL,
        "django_admin_log": {"INSERT": None, "DELETE": None},
        "django_content_type": ALL,
        "django_session": ALL,
        "inference_batchsetting": ALL,
        "inference_modelpool": ALL,
        "inference_modelshare": ALL,
        "inference_scalingminute": ALL,
        "inference_scalingterms": ALL,
        "inference_sessionprofile": ALL,
        "inference_tierpool": ALL,
        "jobs_queuedpages": ALL,
        "jobs_storedthings": ALL,
        "mfa_authenticator": ALL,
        "socialaccount_socialaccount": ALL,
        "socialaccount_socialapp": ALL,
        "socialaccount_socialtoken": ALL,
        "tenants_cellchange": {"INSERT": None},
        "tenants_cellexport": ALL,
        "tenants_change": {"DELETE": None},
        "tenants_chosenlimits": ALL,
        "tenants_directoryentry": ALL,
        "tenants_numberseries": {"INSERT": None, "UPDATE": None},
        "tenants_peercell": ALL,
        "tenants_plan": ALL,
        "tenants_planincluded": ALL,
        "tenants_planprice": ALL,
        "tenants_providerevent": ALL,
        "tenants_replicatedpart": ALL,
        "tenants_seller": ALL,
        "tenants_tier": ALL,
        "tenants_user": ALL,
        "tenants_user_groups": ALL,
        "tenants_user_user_permissions": ALL,
        "usersessions_usersession": ALL,
    },
}
READ_BY_REQUESTS = {
    "django_migrations",
    "maas_applied_sql",
    "inference_batchsetting",
    "inference_modelpool",
    "inference_modelshare",
    "inference_tierpool",
    "jobs_storedthings",
    "tenants_change",
    "tenants_chosenlimits",
    "tenants_plan",
    "tenants_planincluded",
    "tenants_planprice",
    "tenants_seller",
    "tenants_tier",
    "tenants_user",
}
"""The tables that requests may read. Sessions, second factors, addresses, groups and the operators' log are not among
them.
"""

_RIGHTS = """
SELECT c.relname, wanted.right, CASE WHEN wanted.right <> 'DELETE' THEN a.attname END,
    CASE wanted.right
        WHEN 'DELETE' THEN has_table_privilege(%(role)s, c.oid, 'DELETE')
        ELSE has_column_privilege(%(role)s, c.oid, a.attnum, wanted.right)
    END
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN unnest(%(rights)s::text[]) AS wanted("right")
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relrowsecurity
"""
_BEYOND_ROWS = """
SELECT c.relname, wanted.right FROM pg_class c
CROSS JOIN unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER']) AS wanted("right")
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND has_table_privilege(%(role)s, c.oid, wanted.right)
UNION ALL
SELECT c.relname, 'setval' FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace
    AND CASE c.relkind WHEN 'S' THEN has_sequence_privilege(%(role)s, c.oid, 'UPDATE') ELSE false END
UNION ALL
SELECT 'public', 'CREATE' WHERE has_schema_privilege(%(role)s, 'public', 'CREATE')
UNION ALL
SELECT rolname, 'its owner or above' FROM pg_roles r
WHERE rolname IN ('maas_operator', session_user) AND pg_has_role(%(role)s, r.oid, 'MEMBER')
"""


def _asked(sql: str, **values: Any) -> list[tuple[str, ...]]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql, values)
        return [tuple(row) for row in cursor.fetchall()]


def _rights(role: str, *rights: str) -> Rights:
    found: dict[str, dict[str, dict[str | None, bool]]] = {}
    for table, right, column, may in _asked(_RIGHTS, role=role, rights=list(rights)):
        found.setdefault(table, {}).setdefault(right, {})[column] = bool(may)
    written = {
        table: {right: _columns(columns) for right, columns in by_right.items() if any(columns.values())}
        for table, by_right in found.items()
    }
    return {table: by_right for table, by_right in written.items() if by_right}


def _columns(columns: Mapping[str | None, bool]) -> frozenset[str] | None:
    return None if all(columns.values()) else frozenset(str(name) for name, may in columns.items() if may)


@pytest.mark.parametrize("role", WRITTEN)
def test_a_role_writes_outside_of_tenants_what_is_written_here_and_no_more(role: str) -> None:
    """A new table must be listed here with the roles that write it. Requests and workers write none."""
    assert _rights(role, "INSERT", "UPDATE", "DELETE") == WRITTEN[role]


def test_requests_and_workers_read_outside_of_tenants_what_is_written_here_and_no_more() -> None:
    assert _rights(APP_ROLE, "SELECT") == {table: {"SELECT": None} for table in READ_BY_REQUESTS}


@pytest.mark.parametrize("role", [APP_ROLE, ACCOUNTS_ROLE])
def test_a_role_of_requests_changes_no_table_no_sequence_and_is_no_operator(role: str) -> None:
    assert _asked(_BEYOND_ROWS, role=role) == []


@pytest.mark.parametrize("role", [APP_ROLE, ACCOUNTS_ROLE])
def test_no_function_writes_for_a_role_of_requests(role: str) -> None:
    """A function that runs with its owner's rights must be declared read-only, which Postgres enforces. Triggers cannot
    be called.
    """
    writing = _asked(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef AND provolatile = 'v'"
        " AND prorettype <> 'trigger'::regtype AND has_function_privilege(%(role)s, oid, 'EXECUTE')",
        role=role,
    )
    assert writing == []


def test_a_table_that_nobody_listed_is_found() -> None:
    with transaction.atomic(using="owner"):
        with connections["owner"].cursor() as cursor:
            cursor.execute("CREATE TABLE forgotten (id int)")
        found = _rights(APP_ROLE, "INSERT", "UPDATE", "DELETE")
        transaction.set_rollback(True, using="owner")
    assert found == {"forgotten": ALL}


def _refused(sql: str, *values: Any) -> None:
    with (
        pytest.raises(ProgrammingError, match=r"permission denied|must be owner|may not make an operator"),
        transaction.atomic(using=APP),
        connections[APP].cursor() as cursor,
    ):
        cursor.execute(sql, values if "%s" in sql else ())


HARM = {
    "make an operator": "UPDATE tenants_user SET is_staff = true WHERE id = %s",
    "make a superuser": "UPDATE tenants_user SET is_superuser = true WHERE id = %s",
    "let in who is shut out": "UPDATE tenants_user SET is_active = true WHERE id = %s",
    "delete a person": "DELETE FROM tenants_user WHERE id = %s",
    "give a group": "INSERT INTO tenants_user_groups (user_id, group_id) SELECT %s, 1",
    "give a right": "INSERT INTO tenants_user_user_permissions (user_id, permission_id) SELECT %s, 1",
    "widen a group": "INSERT INTO auth_group_permissions (group_id, permission_id) SELECT 1, 1 WHERE %s IS NOT NULL",
    "make a new operator": (
        "INSERT INTO tenants_user (id, email, name, password, is_active, is_staff, is_superuser, date_joined)"
        " SELECT gen_random_uuid(), %s::text, '', '!', true, true, false, now()"
    ),
    "make a new superuser": (
        "INSERT INTO tenants_user (id, email, name, password, is_active, is_staff, is_superuser, date_joined)"
        " SELECT gen_random_uuid(), %s::text, '', '!', true, false, true, now()"
    ),
    "turn a person into an operator": (
        "INSERT INTO tenants_user (id, email, name, password, is_active, is_staff, is_superuser, date_joined)"
        " SELECT id, email, name, password, is_active, true, true, date_joined FROM tenants_user WHERE id = %s"
        " ON CONFLICT (id) DO UPDATE SET is_staff = true"
    ),
    "disable the triggers": "ALTER TABLE tenants_user DISABLE TRIGGER USER",
    "replace the function": "CREATE OR REPLACE FUNCTION maas_refuse_new_operator() RETURNS trigger LANGUAGE sql AS ''",
    "bypass the triggers": "SET session_replication_role = replica",
    "empty a table": "TRUNCATE tenants_user_groups",
    "turn a counter": "SELECT setval('tenants_user_groups_id_seq', 1)",
}
MORE_HARM = {
    "change a password": "UPDATE tenants_user SET password = '!' WHERE id = %s",
    "change an address": "UPDATE tenants_user SET email = 'thief@example.com' WHERE id = %s",
    "make a person": (
        "INSERT INTO tenants_user (id, email, name, password, is_active, is_staff, is_superuser, date_joined)"
        " SELECT gen_random_uuid(), %s::text, '', '!', true, false, false, now()"
    ),
    "sign in": "INSERT INTO django_session (session_key, session_data, expire_date) SELECT %s::text, '', now()",
    "take over sessions": "SELECT session_key FROM django_session WHERE session_key <> %s::text",
    "list sessions": "SELECT session_key FROM usersessions_usersession WHERE user_id = %s",
    "take away a second factor": "DELETE FROM mfa_authenticator WHERE user_id = %s",
    "add an address": (
        'INSERT INTO account_emailaddress (email, verified, "primary", user_id)'
        " SELECT 'thief@example.com', true, false, %s"
    ),
    "sign in through others": "UPDATE socialaccount_socialaccount SET user_id = %s",
}


@pytest.mark.parametrize("harm", [*HARM, *MORE_HARM])
def test_sql_of_a_request_or_a_worker_does_no_harm_to_people(harm: str, tenant: CreatedTenant) -> None:
    _refused({**HARM, **MORE_HARM}[harm], tenant.owner.pk)


@pytest.mark.parametrize("harm", [*HARM, *MORE_HARM])
def test_nor_inside_a_tenants_work(harm: str, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        _refused({**HARM, **MORE_HARM}[harm], tenant.owner.pk)


@pytest.mark.parametrize("harm", HARM)
def test_sql_of_a_sign_in_page_makes_nobody_an_operator(harm: str, tenant: CreatedTenant) -> None:
    with account_work():
        _refused(HARM[harm], tenant.owner.pk)


def test_a_session_is_found_by_its_key_alone(tenant: CreatedTenant) -> None:
    session = SessionStore()
    session["here"] = "yes"
    session.save()
    assert SessionStore(session.session_key)["here"] == "yes"
    assert "here" not in SessionStore("%" * 32)
    session.set_expiry(-1)
    session.save()
    assert "here" not in SessionStore(session.session_key)


def test_operators_still_make_operators(tenant: CreatedTenant) -> None:
    with operator_work():
        group = Group.objects.create(name=tenant.tenant.name)
        tenant.owner.is_staff = True
        tenant.owner.save()
        tenant.owner.groups.add(group)
        assert User.objects.get(pk=tenant.owner.pk).is_staff
