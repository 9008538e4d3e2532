"""Tests that the payer is notified once a month that a budget comes to its end."""

from typing import Any

import pytest
from django.core import mail

from tenants.billing.ledger.alerts import alert_of_budgets
from tenants.billing.ledger.models import BudgetAlert
from tenants.billing.ledger.services import pay_at_once
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant

from .conftest import Purse


@pytest.fixture(autouse=True)
def mailing(settings: Any) -> None:
    settings.MAAS_EMAIL_URL = "smtp://nobody"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def told(tenant: CreatedTenant) -> list[str]:
    return [str(one.subject) for one in mail.outbox if one.to == [tenant.owner.email]]


def test_half_four_fifths_and_all_are_told_once_each(tenant: CreatedTenant, purse: Purse) -> None:
    purse.budget(100)
    for cost, percents in ((49, []), (1, [50]), (35, [50, 80]), (15, [50, 80, 100])):
        with unit_of_work(purse.tenant_id):
            pay_at_once(purse.source(), cost)
        alert_of_budgets()
        alert_of_budgets()
        assert told(tenant) == [f"{percent} % of a budget is used" for percent in percents]
    with unit_of_work(purse.tenant_id):
        assert BudgetAlert.objects.filter(notified_at__isnull=False).count() == 3


def test_a_mail_names_whose_budget_it_is_and_where_it_can_be_raised(
    tenant: CreatedTenant, purse: Purse, settings: Any
) -> None:
    settings.MAAS_PUBLIC_URL = "https://documents.example.com"
    purse.budget(100, tenant.key.key.id)
    with unit_of_work(purse.tenant_id):
        pay_at_once(purse.source(tenant.key.key.id), 60)
    alert_of_budgets()
    (body,) = [str(one.body) for one in mail.outbox if one.to == [tenant.owner.email]]
    assert f"of the key “{tenant.key.key.name}” of the account {tenant.tenant.name}" in body
    assert "https://documents.example.com/budgets" in body
