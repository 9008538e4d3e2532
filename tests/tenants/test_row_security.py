"""The second wall, walked table by table: a new tenant-owned table is covered here or fails here."""

import pytest
from django.apps import apps
from django.db import connections

from tenants.context import APP
from tenants.scoped import TenantManager, TenantOwned

OWNED = [model for model in apps.get_models() if issubclass(model, TenantOwned)]
TABLES = [model._meta.db_table for model in OWNED]


def _one(sql: str, table: str) -> tuple[object, ...]:
    with connections[APP].cursor() as cursor:
        cursor.execute(sql, [table])
        return tuple(cursor.fetchone())


@pytest.mark.parametrize("table", [*TABLES, "tenants_tenant"])
def test_every_tenant_table_has_row_security_even_for_its_owner(table: str) -> None:
    assert _one("SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = %s", table) == (
        True,
        True,
    )


@pytest.mark.parametrize("table", TABLES)
def test_every_tenant_table_has_the_wall_for_reading_and_writing(table: str) -> None:
    using, check = _one(
        "SELECT qual, with_check FROM pg_policies WHERE tablename = %s AND policyname = 'tenant_wall'", table
    )
    assert "tenant_id" in str(using)
    assert using == check


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
