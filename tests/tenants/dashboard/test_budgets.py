"""Tests of budgets on the dashboard: the payer sets, replaces and removes them, and the operator's stays."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client

from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key, rotate_key
from tenants.audit.models import AuditEntry
from tenants.billing.ledger.errors import BudgetExhausted
from tenants.billing.ledger.models import Budget
from tenants.billing.ledger.posting import Source
from tenants.billing.ledger.services import hold
from tenants.billing.ledger.terms import MAX_OWN_BUDGETS as MOST
from tenants.billing.ledger.terms import set_budget
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant

EUR = {"of": "", "currency": "EUR", "monthly": "2.50"}


def budgets(tenant: CreatedTenant) -> list[Budget]:
    with unit_of_work(tenant.tenant.id):
        return list(Budget.objects.order_by("set_at"))


def key_of(tenant: CreatedTenant, name: str = "Scanner") -> ApiKey:
    with unit_of_work(tenant.tenant.id):
        return create_key(tenant_id=tenant.tenant.id, name=name, scopes=["jobs:write"], livemode=True).key


def spend(tenant: CreatedTenant, micros: int, key: ApiKey | None = None) -> None:
    source = Source(tenant.tenant.id, "job", uuid7(), "EUR", key.pk if key else None)
    with unit_of_work(tenant.tenant.id):
        hold(source, micros)


def by_operator(tenant: CreatedTenant, micros: int) -> None:
    with operator_work(), transaction.atomic(using=OPERATOR):
        set_budget(tenant_id=tenant.tenant.id, currency="EUR", monthly_micros=micros)


def test_who_pays_sets_a_budget_and_it_holds(member: Client, tenant: CreatedTenant) -> None:
    assert member.post("/budgets", EUR).status_code == 302
    spend(tenant, 2_000_000)
    with pytest.raises(BudgetExhausted):
        spend(tenant, 500_001)
    page = member.get("/budgets").content.decode()
    assert "2.50 €" in page
    assert "2.00 € reserved" in page


def test_a_budget_of_a_key_binds_that_key_alone(member: Client, tenant: CreatedTenant) -> None:
    key, other = key_of(tenant), key_of(tenant, "Other")
    member.post("/budgets", {**EUR, "of": str(key.pk)})
    spend(tenant, 9_000_000, other)
    with pytest.raises(BudgetExhausted):
        spend(tenant, 2_500_001, key)


def test_the_operators_budget_stays_beside_it(member: Client, tenant: CreatedTenant) -> None:
    by_operator(tenant, 1_000_000)
    member.post("/budgets", EUR)
    assert [(one.set_by, one.monthly_micros) for one in budgets(tenant)] == [
        ("operator", 1_000_000),
        ("tenant", 2_500_000),
    ]
    with pytest.raises(BudgetExhausted):
        spend(tenant, 1_000_001)
    (operators, _) = budgets(tenant)
    assert member.post(f"/budgets/{operators.pk}/remove").status_code == 404


def test_it_is_replaced_and_removed_and_the_audit_log_says_so(member: Client, tenant: CreatedTenant) -> None:
    member.post("/budgets", EUR)
    member.post("/budgets", {**EUR, "monthly": "3"})
    (budget,) = budgets(tenant)
    assert budget.monthly_micros == 3_000_000
    assert member.post(f"/budgets/{budget.pk}/remove").status_code == 302
    assert budgets(tenant) == []
    with unit_of_work(tenant.tenant.id):
        entries = AuditEntry.objects.filter(action__startswith="budget.").order_by("at")
        assert [(one.action, one.changes["monthly"]["before"]) for one in entries] == [
            ("budget.set", None),
            ("budget.set", "2.50 EUR"),
            ("budget.removed", "3.00 EUR"),
        ]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"currency": "ZZZ"}, "not one of the available choices"),
        ({"monthly": "-1"}, "greater than or equal to 0"),
        ({"monthly": "lots"}, "Enter a number"),
        ({"monthly": "1e30"}, "."),
        ({"of": str(uuid4())}, "not one of the available choices"),
    ],
)
def test_what_is_no_budget_is_refused_and_nothing_is_set(
    member: Client, tenant: CreatedTenant, fields: dict[str, str], said: str
) -> None:
    answer = member.post("/budgets", {**EUR, **fields})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert budgets(tenant) == []


def test_there_is_an_end_to_how_many_there_are(
    member: Client, tenant: CreatedTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.billing.ledger.terms.MAX_OWN_BUDGETS", 1)
    member.post("/budgets", EUR)
    answer = member.post("/budgets", {**EUR, "of": str(key_of(tenant).pk)})
    assert "the maximum" in answer.content.decode()
    assert member.post("/budgets", {**EUR, "monthly": "9"}).status_code == 302
    assert MOST > 1


def test_anothers_budget_is_nobodys(member: Client, stranger: Client, tenant: CreatedTenant) -> None:
    member.post("/budgets", EUR)
    (budget,) = budgets(tenant)
    answers = [stranger.post(f"/budgets/{which}/remove") for which in (budget.pk, uuid4(), "nonsense")]
    assert [one.status_code for one in answers] == [404, 404, 404]
    assert "2.50" not in stranger.get("/budgets").content.decode()
    assert len(budgets(tenant)) == 1


def test_a_key_that_takes_anothers_place_has_its_budget_and_what_was_used(
    member: Client, tenant: CreatedTenant
) -> None:
    key = key_of(tenant)
    member.post("/budgets", {**EUR, "of": str(key.pk)})
    with unit_of_work(tenant.tenant.id):
        made = rotate_key(key_id=key.pk, overlap=timedelta(hours=1))
    assert made is not None
    with pytest.raises(BudgetExhausted):
        spend(tenant, 2_500_001, made.key)
    spend(tenant, 2_500_000, made.key)
