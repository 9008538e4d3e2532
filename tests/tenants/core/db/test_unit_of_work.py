from uuid import UUID

import pytest
from django.db import connections

from tenants.accounts.models import Membership
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import APP, current_scope, operator_work, unit_of_work
from tenants.core.errors import UnscopedQuery
from tenants.onboarding.create_tenant import CreatedTenant


def test_a_query_without_a_scope_is_refused() -> None:
    with pytest.raises(UnscopedQuery, match="ApiKey"):
        ApiKey.objects.all()


def test_a_tenant_sees_only_its_own_rows(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        assert set(ApiKey.objects.values_list("tenant_id", flat=True)) == {tenant.tenant.id}
        assert not ApiKey.objects.filter(id=other_tenant.key.key.id).exists()


def test_the_operator_sees_every_tenant(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    with operator_work():
        seen = set(Membership.objects.values_list("tenant_id", flat=True))
    assert {tenant.tenant.id, other_tenant.tenant.id} <= seen


def test_a_tenants_work_cannot_open_anothers(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    with (
        pytest.raises(UnscopedQuery, match="inside work for tenant"),
        unit_of_work(tenant.tenant.id),
        unit_of_work(other_tenant.tenant.id),
    ):
        pass


def test_raw_sql_without_a_tenant_sees_nothing_also_after_work_for_one(tenant: CreatedTenant) -> None:
    assert _rows_of("tenants_apikey") == 0
    with unit_of_work(tenant.tenant.id):
        pass
    assert current_scope() is None
    assert _rows_of("tenants_apikey") == 0


def test_raw_sql_of_one_tenant_does_not_see_anothers_rows(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id), connections[APP].cursor() as cursor:
        cursor.execute("SELECT DISTINCT tenant_id FROM tenants_apikey")
        assert cursor.fetchall() == [(tenant.tenant.id,)]


def test_a_row_cannot_be_written_for_another_tenant(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    with pytest.raises(Exception, match="row-level security"), unit_of_work(tenant.tenant.id):
        create_key(tenant_id=other_tenant.tenant.id, name="stolen")


def _rows_of(table: str) -> int:
    with connections[APP].cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return int(cursor.fetchone()[0])


def test_the_app_role_is_neither_owner_nor_above_row_security() -> None:
    with connections[APP].cursor() as cursor:
        cursor.execute(
            "SELECT r.rolsuper, r.rolbypassrls, c.relowner = r.oid FROM pg_roles r, pg_class c"
            " WHERE r.rolname = current_user AND c.relname = 'jobs_job'"
        )
        assert cursor.fetchone() == (False, False, False)


def test_a_tenant_that_does_not_exist_has_nothing() -> None:
    with unit_of_work(UUID(int=7)):
        assert not ApiKey.objects.exists()
