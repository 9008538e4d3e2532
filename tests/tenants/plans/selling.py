"""Plans to test with, sold as an operator would."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.models import Plan, PlanIncluded, PlanPrice, TenantPrice
from tenants.plans.selectors import default_plan
from tests.fixtures import unique


def make_plan(**fields: Any) -> Plan:
    code = unique("plan")
    with operator_work():
        return Plan.objects.create(**{"code": code, "name": code, **fields})


def archive_all_plans() -> None:
    """Archive the plans that other tests have left, since a page of the admin would offer each of them."""
    with operator_work():
        Plan.objects.filter(is_default=False).update(archived=True)


@contextmanager
def plan_for_new_tenants() -> Iterator[Plan]:
    """Yield a default plan for new tenants. There is one at a time, and the previous one is restored afterwards."""
    with operator_work():
        before = default_plan()
        Plan.objects.update(is_default=False)
    yield make_plan(is_default=True)
    with operator_work():
        Plan.objects.update(is_default=False)
        if before:
            Plan.objects.filter(pk=before.pk).update(is_default=True)


def price(plan: Plan, amount: int | None, *, begins: datetime | None = None, **fields: Any) -> PlanPrice:
    with operator_work():
        given = {"meter": "call", "valid_from": begins or database_now(), **fields}
        return PlanPrice.objects.create(plan=plan, amount_micros=amount, **given)


def include(plan: Plan, quantity: int, **fields: Any) -> PlanIncluded:
    with operator_work():
        given = {"meter": "call", "valid_from": database_now(), **fields}
        return PlanIncluded.objects.create(plan=plan, quantity=quantity, **given)


def own_price(tenant_id: UUID, amount: int | None, **fields: Any) -> TenantPrice:
    with operator_work():
        given = {"meter": "call", "valid_from": database_now(), **fields}
        return TenantPrice.objects.create(tenant_id=tenant_id, amount_micros=amount, **given)
