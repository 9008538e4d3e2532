"""Tests of `/v1/balance`: a caller sees its own account's money, and only the budgets of its own key."""

from typing import Any

from rest_framework.test import APIRequestFactory

from tenants.api.authentication import IDENTITY
from tenants.authentication.selectors import identify_key
from tenants.billing.api.balance import BalanceList
from tenants.billing.ledger.included_units import Work
from tenants.billing.ledger.services import hold
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.prices import Price
from tests.tenants.billing.ledger.conftest import Purse, purse
from tests.tenants.plans.selling import include, make_plan

__all__ = ["purse"]


def answered(tenant: CreatedTenant) -> dict[str, Any]:
    request = APIRequestFactory().get("/v1/balance")
    request.META[IDENTITY] = identify_key(tenant.key.text)
    answer = BalanceList.as_view()(request)
    assert answer.status_code == 200
    body: dict[str, Any] = answer.data
    return body


def test_balance_and_budgets_are_told(tenant: CreatedTenant, other_tenant: CreatedTenant, purse: Purse) -> None:
    purse.prepaid(100, line=20)
    purse.budget(80)
    purse.budget(70, uuid7())
    with unit_of_work(purse.tenant_id):
        hold(purse.source(), 30)
    assert answered(tenant)["data"] == [
        {
            "object": "balance",
            "currency": "EUR",
            "kind": "prepaid",
            "available_micros": 70,
            "held_micros": 30,
            "credit_line_micros": 20,
            "spendable_micros": 90,
            "budgets": [
                {
                    "scope": "tenant",
                    "set_by": "operator",
                    "monthly_micros": 80,
                    "used_micros": 0,
                    "held_micros": 30,
                    "remaining_micros": 50,
                }
            ],
        }
    ]
    assert answered(other_tenant)["data"] == []


def test_what_is_left_of_included_units_is_told(
    tenant: CreatedTenant, other_tenant: CreatedTenant, purse: Purse
) -> None:
    purse.prepaid()
    plan = make_plan()
    include(plan, 10, model="ocr", meter="page")
    with operator_work():
        subscribe(tenant_id=purse.tenant_id, plan=plan)
    work = Work("ocr", False, Price("page", 5, 1, "EUR"), 4, 20)
    with unit_of_work(purse.tenant_id):
        assert hold(purse.source(), 20, lambda: [work]) == 0
    assert answered(tenant)["included"] == [{"model": "ocr", "meter": "page", "quantity": 10, "remaining": 6}]
    assert answered(other_tenant)["included"] == []
