"""Tests that operators give terms, budgets and credit on a wallet's page, and that its books record who and why."""

from typing import Any

from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from tenants.accounts.models import User
from tenants.billing.ledger.models import Budget, LedgerTransaction, Wallet
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.invoices import issued
from tests.tenants.billing.ledger.conftest import Purse

FIELDS = {"kind": "prepaid", "credit_line": "0", "budget": "", "grant": "", "reason": ""}


def add(operator: Client, tenant: CreatedTenant, **fields: str) -> Any:
    named = {"tenant_id": str(tenant.tenant.id), "currency": "EUR", "grant_id": str(uuid7())}
    return operator.post(reverse("admin:tenants_wallet_add"), {**FIELDS, **named, **fields})


def test_terms_budget_and_credit_are_given_together_and_written_down(
    operator: Client, person: User, tenant: CreatedTenant
) -> None:
    assert add(operator, tenant, budget="5", grant="1.5", reason="a trial").status_code == 302
    with operator_work():
        wallet = Wallet.objects.get(tenant=tenant.tenant)
        granted = LedgerTransaction.objects.get(tenant=tenant.tenant)
        assert Budget.objects.get(tenant=tenant.tenant).monthly_micros == 5_000_000
        assert LogEntry.objects.filter(object_id=str(wallet.pk), user=person).count() == 1
    assert (wallet.kind, wallet.available_micros) == ("prepaid", 1_500_000)
    assert (granted.reason, granted.made_by) == ("a trial", person.email)


def test_a_form_that_is_sent_twice_grants_once(operator: Client, tenant: CreatedTenant) -> None:
    purse = Purse(tenant.tenant.id)
    purse.prepaid()
    with operator_work():
        page = reverse("admin:tenants_wallet_change", args=[Wallet.objects.get(tenant=tenant.tenant).pk])
    form = {**FIELDS, "grant": "1", "reason": "why", "grant_id": str(uuid7())}
    for _ in range(2):
        assert operator.post(page, form).status_code == 302
    assert purse.stands() == (1_000_000, 0)
    assert "grants -1.00 EUR" in operator.get(page).content.decode()


def test_what_makes_no_sense_is_said_beside_its_field(operator: Client, tenant: CreatedTenant) -> None:
    for fields, field in (
        ({"grant": "1"}, "reason"),
        ({"currency": "euro"}, "currency"),
        ({"tenant_id": str(uuid7())}, "tenant_id"),
    ):
        answer = add(operator, tenant, **fields)
        assert field in answer.context["adminform"].form.errors
    with operator_work():
        assert not Wallet.objects.filter(tenant=tenant.tenant).exists()


def test_a_tenants_page_says_what_it_spends_has_and_owes(operator: Client, tenant: CreatedTenant) -> None:
    page = reverse("admin:tenants_tenant_change", args=[tenant.tenant.pk])
    assert "nothing used in" in operator.get(page).content.decode()
    tenant_id = tenant.tenant.id
    Purse(tenant_id).prepaid(7_000_000)
    for late in (False, True):
        issued(tenant_id, balance_micros=30_000_000, overdue=late)
    for micros in (1_000_000, 500_000):
        with unit_of_work(tenant_id):
            UsageRecord.objects.create(
                tenant_id=tenant_id,
                source_kind="page",
                source_id=uuid7(),
                meter="page",
                model="parse",
                version=1,
                quantity=1,
                price={},
                amount_micros=micros,
                currency="EUR",
            )
    said = operator.get(page).content.decode()
    assert "1.50 € used in" in said
    assert "balance 7.00 € · 99.46 € open on 2 invoices, 1 overdue" in said
