"""Tests of row security, table by table: a new tenant-owned table is covered here or fails here."""

import pytest
from django.apps import apps
from django.db import connections, transaction

from inference.registry.models.owned import Owned
from tenants.core.db.tenant_owned import TenantManager, TenantOwned
from tenants.core.db.unit_of_work import APP

OWNED = [model for model in apps.get_models() if issubclass(model, TenantOwned)]
TABLES = [model._meta.db_table for model in OWNED]
ALSO_KNOWN = {"jobs_jobtoindex", "jobs_pageembedding"}
"""Tables that are made in SQL, without a model."""

_TABLES_OF_TENANTS = """
SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity, policy.qual, policy.with_check, a.attnotnull
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid AND c.relnamespace = 'public'::regnamespace
LEFT JOIN pg_policies policy ON policy.schemaname = 'public' AND policy.tablename = c.relname
    AND policy.policyname = 'tenant_isolation' AND policy.roles = '{maas_app}'
WHERE a.attname = 'tenant_id' AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'm', 'f')
"""
OF_INSTALLATION = [model._meta.db_table for model in apps.get_models() if issubclass(model, Owned)]
"""Tables with rows without a tenant, which every tenant may read."""
_OTHER_POLICIES = """
SELECT tablename, policyname, cmd, qual FROM pg_policies
WHERE schemaname = 'public' AND policyname <> 'tenant_isolation' AND roles <> '{maas_operator}'
"""


def _all(sql: str) -> list[tuple[object, ...]]:
    with connections[APP].cursor() as cursor:
        cursor.execute(sql)
        return [tuple(row) for row in cursor.fetchall()]


def _one(sql: str, table: str) -> tuple[object, ...]:
    with connections[APP].cursor() as cursor:
        cursor.execute(sql, [table])
        return tuple(cursor.fetchone())


def _faults(rows: list[tuple[object, ...]]) -> list[str]:
    """Return the faults, each with what is to be done about it."""
    faults = []
    for name, forced, using, check, always in rows:
        if not forced:
            faults.append(f"{name}: its owner must not see all rows either: apply tenants/sql/30_row_security.sql")
        if "tenant_id = " not in str(using):
            faults.append(f"{name} has no policy: apply tenants/sql/30_row_security.sql")
        if using != check:
            faults.append(f"{name}: the policy must also check what is written")
        if not always and name not in OF_INSTALLATION:
            faults.append(f"{name}: tenant_id can be NULL, and nobody would see such a row")
    return faults


def test_every_table_of_the_database_that_names_a_tenant_has_the_policy() -> None:
    """The tables are read from the catalog, since not every table has a model."""
    rows = _all(_TABLES_OF_TENANTS)
    assert {str(name) for name, *_ in rows} >= {*TABLES, *ALSO_KNOWN}
    assert _faults(rows) == []


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        ("", "has no policy"),
        ("ENABLE", "has no policy"),
        ("OPEN", "has no policy"),
        ("READS", "must also check"),
        ("UNFORCED", "its owner"),
    ],
)
def test_a_table_without_the_whole_policy_is_found(made: str, fault: str) -> None:
    """The check detects each way of forgetting row security."""
    condition = "(tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)"
    enable, force = ("ALTER TABLE forgotten " + one + " ROW LEVEL SECURITY;" for one in ("ENABLE", "FORCE"))
    policy = "CREATE POLICY tenant_isolation ON forgotten TO maas_app USING "
    more = {
        "": "",
        "ENABLE": enable + force,
        "OPEN": enable + force + policy + "(true) WITH CHECK (true);",
        "READS": enable + force + policy + condition + " WITH CHECK (true);",
        "UNFORCED": enable + policy + condition + " WITH CHECK " + condition + ";",
    }[made]
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute(f"CREATE TABLE forgotten (tenant_id uuid NOT NULL); {more}")
        cursor.execute(_TABLES_OF_TENANTS + " AND c.relname = 'forgotten'")
        faults = _faults([tuple(row) for row in cursor.fetchall()])
        transaction.set_rollback(True, using="owner")
    assert any(fault in one for one in faults), faults


def test_the_table_of_tenants_has_row_security() -> None:
    sql = "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE relname = %s"
    assert _one(sql, "tenants_tenant") == (True,)


def test_no_other_policy_lets_requests_through() -> None:
    """Rows of the installation are read by all, and written by the operator alone."""
    readable = {(table, "of_the_installation", "SELECT", "(tenant_id IS NULL)") for table in OF_INSTALLATION}
    assert set(_all(_OTHER_POLICIES)) == readable


def test_no_view_bypasses_row_security() -> None:
    """A view shows what its owner may see, unless it checks the rights of the role that reads it."""
    sql = """
        SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'v'
            AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)
            AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
    """
    assert _all(sql) == []


@pytest.mark.parametrize("table", TABLES)
def test_every_tenant_table_is_unique_by_tenant_and_id(table: str) -> None:
    count = _one(
        "SELECT count(*) FROM pg_indexes WHERE tablename = %s AND indexdef LIKE '%%UNIQUE%%(tenant_id, id)'",
        table,
    )
    assert count == (1,)


@pytest.mark.parametrize("model", OWNED, ids=TABLES)
def test_every_tenant_table_is_read_through_the_refusing_manager(model: type[TenantOwned]) -> None:
    assert isinstance(model._default_manager, TenantManager)


@pytest.mark.parametrize("model", OWNED, ids=TABLES)
def test_references_between_tenant_tables_carry_the_tenant(model: type[TenantOwned]) -> None:
    for field in model._meta.concrete_fields:
        target = field.related_model
        if field.name == "tenant" or not (isinstance(target, type) and issubclass(target, TenantOwned)):
            continue
        definition = _one(
            "SELECT string_agg(pg_get_constraintdef(oid), ';') FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid = %s::regclass",
            model._meta.db_table,
        )
        assert f"FOREIGN KEY (tenant_id, {field.column})" in str(definition[0])


def test_functions_that_bypass_row_security_read_no_temporary_tables() -> None:
    """Postgres searches pg_temp first if the search path does not name it."""
    found = _all(
        "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE p.prosecdef AND n.nspname = 'public'"
        " AND NOT EXISTS (SELECT FROM unnest(p.proconfig) c WHERE c LIKE 'search_path=%pg_temp')"
    )
    assert found == []
