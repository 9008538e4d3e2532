"""Tests of how an account pays: in all currencies alike, and from its beginning as its first plan says."""

from collections.abc import Mapping

from django.db import transaction

from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.posting import open_wallet
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.ledger.terms import set_terms
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.tenants.plans.selling import make_plan


def kinds(tenant: CreatedTenant) -> Mapping[str, str]:
    with operator_work():
        return dict(Wallet.objects.filter(tenant=tenant.tenant).values_list("currency", "kind"))


def pay(tenant: CreatedTenant, currency: str, kind: str) -> None:
    with operator_work(), transaction.atomic(using=OPERATOR):
        set_terms(tenant_id=tenant.tenant.pk, currency=currency, kind=kind)


def test_who_becomes_prepaid_runs_up_no_debt_in_what_was_used_before(tenant: CreatedTenant) -> None:
    with operator_work(), transaction.atomic(using=OPERATOR):
        open_wallet(tenant.tenant.pk, "USD")
    pay(tenant, "EUR", "prepaid")
    assert kinds(tenant) == {"EUR": "prepaid", "USD": "prepaid"}
    pay(tenant, "USD", "invoiced")
    assert kinds(tenant) == {"EUR": "prepaid", "USD": "invoiced"}
    pay(tenant, "EUR", "prepaid")
    assert kinds(tenant) == {"EUR": "prepaid", "USD": "invoiced"}, "what an operator has set back stays"


def test_a_first_plan_can_have_its_account_pay_beforehand(tenant: CreatedTenant) -> None:
    plan = make_plan(is_prepaid=True, trial_credit_micros=5)
    subscribe(tenant_id=tenant.tenant.pk, plan=plan)
    with operator_work():
        wallet = Wallet.objects.get(tenant=tenant.tenant)
    assert (wallet.kind, wallet.available_micros) == ("prepaid", 5)


def test_terms_that_an_operator_gave_stay_with_a_first_plan(tenant: CreatedTenant) -> None:
    pay(tenant, "EUR", "invoiced")
    subscribe(tenant_id=tenant.tenant.pk, plan=make_plan(is_prepaid=True))
    assert kinds(tenant) == {"EUR": "invoiced"}
