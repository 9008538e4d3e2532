"""`/v1/balance`: a caller is told its own account's money, and of budgets its own key's alone."""

from typing import Any

import pytest
from rest_framework.test import APIRequestFactory

from tenants.api.authentication import IDENTITY
from tenants.api.balance import BalanceList
from tenants.billing.ledger.services import hold
from tenants.context import unit_of_work
from tenants.ids import uuid7
from tenants.selectors import identify_key
from tenants.services import CreatedTenant
from tests.tenants.billing.ledger.conftest import Purse


def told(tenant: CreatedTenant) -> list[dict[str, Any]]:
    request = APIRequestFactory().get("/v1/balance")
    request.META[IDENTITY] = identify_key(tenant.key.text)
    answer = BalanceList.as_view()(request)
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.data["data"]
    return found


@pytest.fixture
def purse(tenant: CreatedTenant) -> Purse:
    return Purse(tenant.tenant.id)


def test_balance_and_budgets_are_told(
    tenant: CreatedTenant, other_tenant: CreatedTenant, purse: Purse
) -> None:
    purse.prepaid(100, line=20)
    purse.budget(80)
    purse.budget(70, uuid7())
    with unit_of_work(purse.tenant_id):
        hold(purse.source(), 30)
    assert told(tenant) == [
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
                    "of": "tenant",
                    "set_by": "operator",
                    "monthly_micros": 80,
                    "used_micros": 0,
                    "held_micros": 30,
                    "left_micros": 50,
                }
            ],
        }
    ]
    assert told(other_tenant) == []
