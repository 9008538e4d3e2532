"""Tests that usage from before there were sums by day is added to them once, whatever is written meanwhile."""

from importlib import import_module
from uuid import UUID, uuid4

from django.db import connections

from tenants.billing.usage.models import UsageDay, UsageRecord
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant

SUM_UP = import_module("tenants.migrations.0005_usage_of_before").SUM_UP


def use(tenant_id: UUID, quantity: int) -> None:
    with unit_of_work(tenant_id):
        UsageRecord.objects.create(
            tenant_id=tenant_id,
            source_kind="page",
            source_id=uuid4(),
            meter="page",
            model="ocr",
            version=1,
            quantity=quantity,
            price={},
            amount_micros=10 * quantity,
            currency="EUR",
        )


def summed(tenant_id: UUID) -> list[int]:
    with unit_of_work(tenant_id):
        rows = UsageDay.objects.values_list("quantity", "amount_micros", "records")
        return [sum(column) for column in zip(*rows, strict=True)]


def test_records_of_before_are_summed_once_and_those_of_the_trigger_not_again(tenant: CreatedTenant) -> None:
    before_it, after_it = 3, 5
    use(tenant.tenant.id, before_it)
    with unit_of_work(tenant.tenant.id):
        UsageDay.objects.all().delete()
    use(tenant.tenant.id, after_it)
    for _ in range(2):
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(SUM_UP)
        assert summed(tenant.tenant.id) == [8, 80, 2]
