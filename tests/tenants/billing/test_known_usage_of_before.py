"""Tests that cache hits are separated in sums from before keys were recorded, once, whatever is written meanwhile."""

from importlib import import_module
from uuid import UUID, uuid4

from django.db import connections
from django.db.models import Sum

from tenants.billing.usage.models import UsageDay, UsageRecord
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant

TELL_APART = import_module("tenants.migrations.0016_known_usage_of_before").TELL_APART


def use(tenant_id: UUID, quantity: int, *, kind: str = "page", **fields: object) -> None:
    with unit_of_work(tenant_id):
        UsageRecord.objects.create(
            tenant_id=tenant_id,
            source_kind=kind,
            source_id=uuid4(),
            meter="page",
            model="ocr",
            version=1,
            quantity=quantity,
            price={},
            amount_micros=10 * quantity,
            currency="EUR",
            **fields,
        )


def as_of_before(tenant_id: UUID) -> None:
    """Rewrite the sums as the trigger of that time made them: keys and cache hits are not separate, and the shards are
    others.
    """
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("DELETE FROM tenants_usageday WHERE tenant_id = %s", [tenant_id])
        cursor.execute(
            "INSERT INTO tenants_usageday (id, tenant_id, day, model, meter, currency, livemode, shard, quantity,"
            " amount_micros, records) SELECT gen_random_uuid(), tenant_id, (created_at AT TIME ZONE 'UTC')::date,"
            " model, meter, currency, livemode, row_number() OVER () %% 16, quantity, amount_micros, 1"
            " FROM tenants_usagerecord WHERE tenant_id = %s",
            [tenant_id],
        )


def told(tenant_id: UUID) -> list[tuple[bool, int, int, int]]:
    with unit_of_work(tenant_id):
        assert not UsageDay.objects.filter(shard__lt=32).exists()
        sums = UsageDay.objects.values_list("cached").order_by("cached")
        return list(sums.annotate(Sum("quantity"), Sum("amount_micros"), Sum("records")))


def test_what_was_known_is_told_apart_once_and_what_comes_meanwhile_is_not_counted_again(
    tenant: CreatedTenant,
) -> None:
    tenant_id = tenant.tenant.id
    for quantity, kind in ((3, "page"), (5, "cache"), (7, "cache"), (11, "call")):
        use(tenant_id, quantity, kind=kind)
    as_of_before(tenant_id)
    use(tenant_id, 100, kind="cache")
    use(tenant_id, 1000, kind="batch_line", cached=True, key_id=uuid4())
    use(tenant_id, 10_000)
    for _ in range(2):
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(TELL_APART)
        assert told(tenant_id) == [(False, 10_014, 100_140, 3), (True, 1112, 11_120, 4)]
